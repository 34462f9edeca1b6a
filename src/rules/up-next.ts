// Up next: the messages that wait while a turn runs, the reasons it pauses for, and which message goes when.
import { type Decision, decided } from "./decision.ts";
import type { SessionEffect } from "./effect.ts";
import { upNextSize } from "./limits.ts";
import type { MessageBody } from "./message.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { Author, SessionState } from "./session.ts";
import { isUnfinished, startTurn } from "./turn.ts";

export const pauseReasons = ["failed", "cancelled", "awaiting_response", "under_review"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface UpNextPause {
  reason: PauseReason;
  pausedAt: number;
}

export interface QueuedMessage extends MessageBody {
  id: string;
  author: Author;
  /** Rises with every edit, so that an edit of an older text can be refused. */
  version: number;
  /** The user who has it open for editing, until when. */
  editing: { userId: string; until: number } | null;
  createdAt: number;
}

/** Puts a message at the end of Up next, or refuses when it is full (Part 1, "Limits"). */
export function enqueue(state: SessionState, message: QueuedMessage): SessionState | Refusal {
  if (state.upNext.length >= upNextSize) return refuse("QUEUE_FULL");
  return { ...state, upNext: [...state.upNext, message] };
}

/** Starts the top message's turn when nothing runs and nothing pauses Up next (Part 1, "Up next"). */
export function drain(
  state: SessionState,
  turnId: string,
  now: number,
): { state: SessionState; effects: SessionEffect[] } {
  const [top, ...rest] = state.upNext;
  if (!top || state.pause || isUnfinished(state.turn) || state.session.status !== "active")
    return { state, effects: [] };
  const { id, content, attachments, context, author } = top;
  const body = { content, attachments, context };
  return startTurn({ ...state, upNext: rest }, { turnId, messageId: id, body, author, model: null }, now);
}

/** Resumes a paused Up next; its top message is sent when nothing runs. Resuming one that is not paused changes nothing. */
export function resumeUpNext(
  state: SessionState,
  command: { turnId: string; modelIfNone?: string | null },
  now: number,
): Decision<SessionState, null, SessionEffect> {
  if (state.session.status !== "active") {
    return refuse("BAD_REQUEST", "Up next can be resumed only while the session is Active.");
  }
  // A session whose first turn found no model to run on may find one now.
  const session = { ...state.session, model: state.session.model ?? command.modelIfNone ?? null };
  const resumed = drain({ ...state, session, pause: null }, command.turnId, now);
  return decided(resumed.state, null, [...resumed.effects, { do: "project-session" }]);
}
