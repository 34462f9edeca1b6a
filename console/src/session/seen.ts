// Which reasons to look at a session the person has seen.
import type { Session } from "./queries.ts";

/** The session once the person has seen all reasons that began until then. */
export function markSeen(session: Session, since: string): Session {
  const { isSeen, needsYouSince } = session;
  return isSeen !== true && needsYouSince !== null && needsYouSince <= since ? { ...session, isSeen: true } : session;
}

/** True for a session that waits for somebody, for a reason that the person has not seen. */
export const isUnseen = ({ isSeen, needsYouSince }: Session): boolean => needsYouSince !== null && isSeen === false;
