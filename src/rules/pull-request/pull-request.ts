// The pull request of a session: whether it is open, and what moves between statuses make of it on the code host.

import type { Session, SessionStatus } from "../session/session.ts";
import type { PullRequestState } from "./state.ts";

/** A pull request that is there and may still change: a draft is one, too. */
export function isOpenPullRequest(state: PullRequestState | null): state is "draft" | "open" {
  return state === "draft" || state === "open";
}

/** A pull request that has come to its end. */
export function isPullRequestOver(state: PullRequestState | null): state is "merged" | "closed" {
  return state === "merged" || state === "closed";
}

/** What a move makes of the pull request. */
export type PullRequestMove = Extract<PullRequestState, "draft" | "open">;

/** What a move to this status makes of the pull request (Part 1, "Session statuses"); null where there is nothing to change. */
export function pullRequestMove(session: Session, to: SessionStatus): PullRequestMove | null {
  if (session.prNumber === null) return null;
  if (session.status === "active" && to === "under-review" && session.prState === "draft") return "open";
  if (session.status === "under-review" && to === "active" && session.prState === "open") return "draft";
  return null;
}

/** The pull request's state behind a move that made something of it. What ended meanwhile stays ended. */
export function stateAfter(move: PullRequestMove | null | undefined, { prState }: Session): PullRequestState | null {
  return isPullRequestOver(prState) ? prState : (move ?? prState);
}

/** What a session's branch is compared with: the base of its open pull request, or its Target Branch where there is none (Part 1, "Files and commits"). */
export function comparisonBase({
  prState,
  prBase,
  targetBranch,
}: Pick<Session, "prState" | "prBase" | "targetBranch">): string {
  return isOpenPullRequest(prState) ? (prBase ?? targetBranch) : targetBranch;
}
