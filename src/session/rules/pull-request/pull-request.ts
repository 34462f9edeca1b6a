// The pull request of a session: whether it is open, and how a move between statuses changes it on
// the code host.

import type { Session } from "../session.ts";
import type { SessionStatus } from "../status.ts";
import type { PullRequestState } from "./state.ts";

/** True for a pull request that may still change, drafts included. */
export function isOpenPullRequest(state: PullRequestState | null): state is "draft" | "open" {
  return state === "draft" || state === "open";
}

/** True for a pull request that has ended. */
export function isPullRequestOver(state: PullRequestState | null): state is "merged" | "closed" {
  return state === "merged" || state === "closed";
}

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

/**
 * The branch that a session's branch is compared with: the base of its open pull request, otherwise
 * its Target Branch (Part 1, "Files and commits").
 */
export function getComparisonBase({
  prState,
  prBase,
  targetBranch,
}: Pick<Session, "prState" | "prBase" | "targetBranch">): string {
  return isOpenPullRequest(prState) ? (prBase ?? targetBranch) : targetBranch;
}
