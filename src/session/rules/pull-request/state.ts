// What a session stores about its pull request, shared by every rule about it.
import type { PendingPullRequest } from "./open-question.ts";

export const pullRequestStates = ["draft", "open", "merged", "closed"] as const;
export type PullRequestState = (typeof pullRequestStates)[number];

/** The state of the newest `svc:open-pr` turn. */
export interface OpenPrTask {
  turnId: string;
  /** Decided once per turn: a pull request that is open by now may be this turn's own. */
  isDraft: boolean;
  /** The links of the pull request, those of earlier turns included. */
  evidence: string[];
  stage: "opening" | "opened" | "refused" | "asking";
  /** Why it was refused. */
  reason: string | null;
  /** The pull request that waits for the user's answer. */
  pending: PendingPullRequest | null;
}

/** The newest request to ship. */
export interface Shipping {
  /** The turn that asked for it. */
  turnId: string;
  /** The commit that is merged once its checks have passed; null when nothing waits to be. */
  sha: string | null;
  /**
   * Set once a check of that commit has failed: the commit is not merged, even if the check passes
   * later.
   */
  hasFailedCheck?: true;
  /** Set once the code host has refused to merge: a branch that is behind needs a person again. */
  isRefused?: true;
}

export type ChecksVerdict = "passed" | "failed";

/** An account at the code host. */
export interface CodeHostAccount {
  hostUserId: string;
  login: string;
}

/** What the code host has reported of the pull request and of its checks. */
export interface PullRequestReport {
  /** When the newest event of the pull request itself happened. */
  changedAt: number;
  /** The commit at the head of the branch, and the time of the first event about it. */
  sha: string;
  shaAt: number;
  checks: Record<string, { hasFailed: boolean; changedAt: number }>;
  /**
   * What all checks of the commit came to, as the code host was read; missing while it has not been
   * read, or they had not ended.
   */
  verdict?: ChecksVerdict;
  /** The newest activity that the pull request had when it was told to be stale. */
  staleSince?: number;
  /** The account that merged it, where the code host said so. */
  mergedBy?: CodeHostAccount;
}
