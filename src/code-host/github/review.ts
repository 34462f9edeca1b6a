// The review of a pull request at GitHub: what its own answer says, its reviews and its checks.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { ReviewLineComment } from "../code-host.ts";
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

interface CommentAnswer {
  id: number;
  pull_request_review_id: number | null;
  path: string;
  body: string;
  /** Null for lines that the newest change no longer has, and for a comment on a whole file. */
  line?: number | null;
  start_line?: number | null;
  side?: "LEFT" | "RIGHT";
}

/**
 * Lists the comments of a review on lines, in their order. They are among all comments of the pull
 * request (`path`): GitHub's list of one review does not say the lines.
 */
export async function listReviewComments(
  call: CallGithub,
  { path, reviewId }: { path: string; reviewId: number },
  signal: AbortSignal,
): Promise<ReviewLineComment[] | Refusal> {
  // The newest first, so that they are within the pages that are read.
  const query = "sort=created&direction=desc";
  const found = await readPages(call, `${path}/comments?${query}`, (answer: CommentAnswer[]) => answer, signal);
  if (isRefusal(found)) return found;
  const ofReview = found.filter((one) => one.pull_request_review_id === reviewId);
  return ofReview.sort((a, b) => a.id - b.id).flatMap(toLineComment);
}

function toLineComment({ path, body, line, start_line: start, side }: CommentAnswer): ReviewLineComment[] {
  if (typeof line !== "number") return [];
  return [{ path, side: side === "LEFT" ? "old" : "new", startLine: start ?? line, endLine: line, body }];
}
