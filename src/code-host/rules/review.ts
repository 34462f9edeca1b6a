// The review of a pull request: its checks, and the people who are to review it or have done so.
import type { PullRequestState } from "../../session/rules/pull-request/state.ts";

/** The statuses and the conclusions of check runs, in GitHub's words. */
export const checkStatuses = ["queued", "in_progress", "completed"] as const;
export const checkConclusions = [
  ...["success", "neutral", "skipped", "failure", "cancelled", "timed_out", "action_required"],
  ...["startup_failure", "stale"],
] as const;
export const reviewerStates = ["requested", "approved", "changes_requested", "commented", "dismissed"] as const;

export type ReviewerState = (typeof reviewerStates)[number];

export interface Check {
  name: string;
  status: (typeof checkStatuses)[number];
  /** Null until it is completed. */
  conclusion: string | null;
  /** The page of the check; null if it has none. */
  url: string | null;
  startedAt: number | null;
  completedAt: number | null;
}

/** A review, as the code host lists it. */
export interface Review {
  /** Null once the account is deleted. */
  login: string | null;
  state: string;
}

export interface PullRequestReviewer {
  login: string;
  state: ReviewerState;
}

/** What the code host shows of a pull request. */
export interface ReviewedPullRequest {
  number: number;
  /** The URL of the pull request's page. */
  url: string;
  title: string;
  state: PullRequestState;
  /** The branch to merge into. */
  base: string;
  /** Its head commit. */
  sha: string;
  /** Null while the code host has not computed it. */
  isMergeable: boolean | null;
  checks: Check[];
  reviewers: PullRequestReviewer[];
}

/** The conclusions that do not block a merge. */
const passing = ["success", "neutral", "skipped"];

/** The outcome of a check: a conclusion that is not known counts as failed. */
export function getCheckOutcome({ status, conclusion }: Pick<Check, "status" | "conclusion">) {
  if (status !== "completed") return "pending";
  return passing.includes(conclusion ?? "") ? "passed" : "failed";
}

const order = { failed: 0, pending: 1, passed: 2 };

/** Sorts checks: failed ones first, then those that run. */
export function listSortedChecks(checks: readonly Check[]): Check[] {
  return checks.toSorted(
    (one, other) => order[getCheckOutcome(one)] - order[getCheckOutcome(other)] || (one.name < other.name ? -1 : 1),
  );
}

const reviewStates: Record<string, ReviewerState> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
  COMMENTED: "commented",
  DISMISSED: "dismissed",
};

/**
 * Lists the reviewers, the requested ones first. The last review of a person counts, but a comment
 * replaces no verdict. The author's own comments are no reviews.
 */
export function listReviewers({
  author,
  requested,
  reviews,
}: {
  author: string | null;
  requested: readonly string[];
  /** Oldest first. */
  reviews: readonly Review[];
}): PullRequestReviewer[] {
  const found = new Map<string, PullRequestReviewer>();
  for (const { login, state } of reviews) {
    const known = Object.hasOwn(reviewStates, state) ? reviewStates[state] : undefined;
    if (login === null || login === author || known === undefined) continue;
    const before = found.get(login.toLowerCase());
    if (known === "commented" && before !== undefined) continue;
    found.set(login.toLowerCase(), { login, state: known });
  }
  const asked = requested.map((login): PullRequestReviewer => ({ login, state: "requested" }));
  for (const { login } of asked) found.delete(login.toLowerCase());
  return [...asked, ...found.values()];
}
