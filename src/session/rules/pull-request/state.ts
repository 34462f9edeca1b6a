// What a session stores about its pull request, shared by every rule about it.
import type { PendingPullRequest } from "./open-question.ts";

export const pullRequestStates = ["draft", "open", "merged", "closed"] as const;
export type PullRequestState = (typeof pullRequestStates)[number];

/** The state of the newest `svc:open-pr` turn. */
export interface OpenPrTask {
  turnId: string;
  /** Decided once per turn: an open pull request may be this turn's own. */
  isDraft: boolean;
  /** The links of the pull request, including those of earlier turns. */
  evidence: string[];
  stage: "opening" | "opened" | "refused" | "asking";
  /** Why it was refused. */
  reason: string | null;
  /** The pull request that waits for the user's answer. */
  pending: PendingPullRequest | null;
}

/** The newest request to ship. */
export interface Shipping {
  /** The turn that requested it. */
  turnId: string;
  /** The commit that is merged once its checks have passed; null if none waits. */
  sha: string | null;
  /**
   * Set from the request to the outcome of its attempt, which may have to mark a draft ready first.
   */
  isAttempted?: true;
  /**
   * Set once a check of that commit has failed: the commit is not merged, even if the check passes
   * later.
   */
  hasFailedCheck?: true;
  /**
   * Set once the code host has refused to merge: then a branch that is behind needs a person again.
   */
  isRefused?: true;
}

export type ChecksVerdict = "passed" | "failed";

/** An account at the code host. */
export interface CodeHostAccount {
  hostUserId: string;
  login: string;
}

/** What the code host has reported about the pull request and its checks. */
export interface PullRequestReport {
  /** When the newest event of the pull request itself happened. */
  changedAt: number;
  /** The commit at the head of the branch, and the time of the first event about it. */
  sha: string;
  shaAt: number;
  checks: Record<string, { hasFailed: boolean; changedAt: number }>;
  /**
   * The overall outcome of all checks of the commit, as last read; missing until it is read, or
   * while they run.
   */
  verdict?: ChecksVerdict;
  /** The verdict before the checks ran again: the same one once more is no event. */
  lastVerdict?: ChecksVerdict;
  /** The newest activity of the pull request when it was reported as stale. */
  staleSince?: number;
  /** The account that merged it, if the code host said so. */
  mergedBy?: CodeHostAccount;
}
