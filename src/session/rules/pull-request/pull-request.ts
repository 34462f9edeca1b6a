// The pull request of a session: whether it is open or has ended, and the base of its changes.

import type { Session } from "../session.ts";
import type { PullRequestState } from "./state.ts";

/** True for a pull request that may still change, drafts included. */
export function isOpenPullRequest(state: PullRequestState | null): state is "draft" | "open" {
  return state === "draft" || state === "open";
}

/** True for a pull request that has ended. */
export function isPullRequestOver(state: PullRequestState | null): state is "merged" | "closed" {
  return state === "merged" || state === "closed";
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
