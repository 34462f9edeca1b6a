// A session's summary: all that reads and lists show of one. Its object gives it, and so does its row of the index.
import { type NeedsYouReason, needsYouReason } from "./needs-you.ts";
import type { Session, SessionState } from "./session.ts";
import type { Turn } from "./turn.ts";
import type { UpNextPause } from "./up-next.ts";

export interface SessionSummary {
  session: Omit<Session, "conversationId" | "clearedAt" | "command" | "prReport" | "openPr" | "ship" | "targetCommit">;
  /** The newest turn. */
  turn: Pick<Turn, "id" | "number" | "status"> | null;
  /** How many messages wait Up next. */
  waiting: number;
  pause: UpNextPause | null;
  needsYou: NeedsYouReason | null;
}

export function summarize(state: SessionState): SessionSummary {
  const { conversationId: _, clearedAt: __, command: ___, prReport: ____, ...shown } = state.session;
  const { openPr: _____, ship: ______, ...session } = shown;
  const { turn, upNext, pause } = state;
  return { session, turn, waiting: upNext.length, pause, needsYou: needsYouReason(state) };
}
