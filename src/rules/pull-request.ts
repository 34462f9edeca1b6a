// The pull request of a session, as far as moves between statuses change it on the code host.
import type { PullRequestState, Session, SessionStatus } from "./session.ts";

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
  return prState === "merged" || prState === "closed" ? prState : (move ?? prState);
}

/** What a session's branch is compared with: the base of its open pull request, or its Target Branch where there is none (Part 1, "Files and commits"). */
export function comparisonBase({
  prState,
  prBase,
  targetBranch,
}: Pick<Session, "prState" | "prBase" | "targetBranch">): string {
  return prState === "open" || prState === "draft" ? (prBase ?? targetBranch) : targetBranch;
}
