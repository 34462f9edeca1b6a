// What a session keeps of its pull request: the record's own words, which every rule about it shares.
import type { NewPullRequest } from "./open-question.ts";

export const pullRequestStates = ["draft", "open", "merged", "closed"] as const;
export type PullRequestState = (typeof pullRequestStates)[number];

/** How far the newest turn that opens the pull request has come. */
export interface OpenPrTask {
  turnId: string;
  /** Decided once in a turn: that one is open by now may be this turn's own doing. */
  isDraft: boolean;
  /** The links of the pull request, also of earlier turns. */
  evidence: string[];
  stage: "opening" | "opened" | "refused" | "asking";
  /** Why it was refused. */
  reason: string | null;
  /** What waits for the user's answer. */
  wish: NewPullRequest | null;
}

/** What was asked of `svc:ship`. */
export interface Shipping {
  /** The turn that asked for it. */
  turnId: string;
  /** The commit that is merged once its checks have passed; null when nothing waits to be. */
  sha: string | null;
  /** Set once a check of that commit has failed: it is not merged, though the check may have passed before anybody looked. */
  hasFailedCheck?: true;
}

/** What the code host told of the pull request and of its checks. */
export interface PullRequestReport {
  /** When the newest news of the pull request itself happened. */
  changedAt: number;
  /** The commit at the head of the branch, and when it was first heard of. */
  sha: string;
  shaAt: number;
  checks: Record<string, { hasFailed: boolean; changedAt: number }>;
}
