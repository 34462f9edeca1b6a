// The review of a pull request at GitHub: what its own answer says, its reviews and its checks.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import { listReviewers, type ReviewedPullRequest } from "../rules/review.ts";
import { type CallGithub, readPages } from "./call.ts";
import { listChecks } from "./checks.ts";

/** The fields of a pull request that its review is read from. */
export interface ReviewedAnswer {
  number: number;
  title: string;
  /** Missing in lists; null while GitHub computes it. */
  mergeable?: boolean | null;
  /** Null once the account is deleted. */
  user?: { login: string } | null;
  requested_reviewers?: { login: string }[] | null;
  head: { sha: string };
}

interface ReviewAnswer {
  user: { login: string } | null;
  state: string;
}

/** Reads the review of a pull request that has been read. */
export async function readReview(
  call: CallGithub,
  repository: string,
  { number, title, mergeable = null, user, requested_reviewers: asked, head }: ReviewedAnswer,
  signal: AbortSignal,
): Promise<Pick<ReviewedPullRequest, "title" | "isMergeable" | "checks" | "reviewers"> | Refusal> {
  const given = (answer: ReviewAnswer[]) => answer.map((one) => ({ login: one.user?.login ?? null, state: one.state }));
  const [reviews, checks] = await Promise.all([
    readPages(call, `/repos/${repository}/pulls/${number}/reviews`, given, signal),
    listChecks(call, repository, head.sha, signal),
  ]);
  if (isRefusal(reviews)) return reviews;
  // The head of a deleted branch has no checks to read.
  if (isRefusal(checks) && checks.code !== "BAD_REQUEST") return checks;
  const requested = (asked ?? []).map(({ login }) => login);
  return {
    title,
    isMergeable: mergeable,
    checks: isRefusal(checks) ? [] : checks,
    reviewers: listReviewers({ author: user?.login ?? null, requested, reviews }),
  };
}
