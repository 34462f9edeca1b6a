// A session's summary: all that reads and lists show of one. Its object gives it, and so does its row of the index.

import type { Turn } from "../chat/turn.ts";
import type { UpNextPause } from "../chat/up-next.ts";
import { type NeedsYouReason, needsYouReason } from "./needs-you.ts";
import type { Session, SessionState } from "./session.ts";

/** What a session keeps for its own rules and shows nobody. */
const inner = ["conversationId", "clearedAt", "command", "prReport", "openPr", "ship", "targetCommit"] as const;
export type ShownSession = Omit<Session, (typeof inner)[number]>;

export interface SessionSummary {
  session: ShownSession;
  /** The newest turn. */
  turn: Pick<Turn, "id" | "number" | "status"> | null;
  /** How many messages wait Up next. */
  waiting: number;
  pause: UpNextPause | null;
  needsYou: NeedsYouReason | null;
}

export function summarize(state: SessionState): SessionSummary {
  const { session, turn, upNext, pause } = state;
  return { session: shownOf(session), turn, waiting: upNext.length, pause, needsYou: needsYouReason(state) };
}

/** A session without what it shows nobody. */
export function shownOf(session: Session): ShownSession {
  const hidden: readonly string[] = inner;
  return Object.fromEntries(
    Object.entries(session).filter(([name]) => !hidden.includes(name)),
  ) as unknown as ShownSession;
}
