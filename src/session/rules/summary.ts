// A session's summary: everything that reads and lists show of it. It comes from its object or from
// its row of the index.

import type { ChatState } from "../../chat/rules/chat.ts";
import type { QueuePause } from "../../chat/rules/queue-pause.ts";
import type { Turn } from "../../chat/rules/turn.ts";
import { type ListedPrompt, toListedPrompt } from "../../rules/listed-prompt.ts";
import { findNeedsYouReason, type NeedsYouReason } from "./needs-you.ts";
import type { Session, SessionState } from "./session.ts";

/** The fields that a session stores only for its own rules and never shows. */
type Inner = "promptWriter" | "filedDepth" | "command" | "prReport" | "openPr" | "ship" | "automatic" | "targetCommit";
export type ShownSession = Omit<Session, Inner> & Pick<ChatState, "model"> & ListedPrompt<string | null>;

export interface SessionSummary {
  session: ShownSession;
  /** The newest turn. */
  turn: Pick<Turn, "id" | "number" | "status"> | null;
  /** How many messages wait Up next. */
  waiting: number;
  pause: QueuePause | null;
  needsYou: NeedsYouReason | null;
}

/** The summary of a session, with the whole prompt. */
export function toSummary(state: SessionState): SessionSummary {
  const { turn, upNext, pause } = state.chat;
  const shown = turn && { id: turn.id, number: turn.number, status: turn.status };
  return {
    session: toShownSession(state),
    turn: shown,
    waiting: upNext.length,
    pause,
    needsYou: findNeedsYouReason(state),
  };
}

/** A summary for lists and events: with only the start of its prompt. */
export function toListed(summary: SessionSummary): SessionSummary {
  return { ...summary, session: { ...summary.session, ...toListedPrompt(summary.session) } };
}

/** A session without the fields that it never shows. */
export function toShownSession({ session, chat }: SessionState): ShownSession {
  const {
    promptWriter: ______,
    filedDepth: _______,
    command: _,
    prReport: __,
    openPr: ___,
    ship: ____,
    automatic: ________,
    targetCommit: _____,
    ...shown
  } = session;
  return { ...shown, model: chat.model, isPromptCut: false };
}
