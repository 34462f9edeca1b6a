// Whether a session's pull request is ready for review or a draft, which follows from a move of the
// session between Active and Under Review (Part 1, "Session statuses").
import type { Session } from "../session.ts";
import type { SessionStatus } from "../status.ts";
import { isPullRequestOver } from "./pull-request.ts";
import type { PullRequestState } from "./state.ts";

/** The state that a move gives the pull request. */
export type PullRequestMove = Extract<PullRequestState, "draft" | "open">;

/**
 * The state that a move to a status gives the pull request (Part 1, "Session statuses"); null if
 * nothing changes.
 */
export function findPullRequestMove(session: Session, to: SessionStatus): PullRequestMove | null {
  if (session.prNumber === null) return null;
  if (session.status === "active" && to === "under-review" && session.prState === "draft") return "open";
  if (session.status === "under-review" && to === "active" && session.prState === "open") return "draft";
  return null;
}

/** The pull request's state after a move. If it was merged or closed meanwhile, it stays so. */
export function findStateAfter(
  move: PullRequestMove | null | undefined,
  { prState }: Session,
): PullRequestState | null {
  return isPullRequestOver(prState) ? prState : (move ?? prState);
}
