// The pull request of a session on the wire, as the code host shows it.
import * as z from "zod";
import {
  checkConclusions,
  checkStatuses,
  listSortedChecks,
  type ReviewedPullRequest,
  reviewerStates,
} from "../../code-host/rules/review.ts";
import { exampleTimes, formatTimeOrNull, timestamp } from "../../lib/wire.ts";
import { checkNameCharacters, pullRequestChecksMax, pullRequestReviewersMax } from "../../rules/limits.ts";
import { pullRequestStates } from "../../session/rules/pull-request/state.ts";

const checkSchema = z
  .object({
    name: z.string().describe("Its name at the code host."),
    status: z.enum(checkStatuses).describe("Its progress."),
    conclusion: z.enum(checkConclusions).nullable().describe("How it ended; null until then."),
    url: z.string().nullable().describe("Its page; null where there is none."),
    startedAt: timestamp.nullable().describe("When it began; null if unknown."),
    completedAt: timestamp.nullable().describe("When it ended; null until then."),
  })
  .meta({
    id: "Check",
    description: "A check run or a commit status.",
    examples: [
      {
        name: "test",
        status: "completed",
        conclusion: "success",
        url: "https://codehost.example.com/demo/departures/runs/7",
        startedAt: exampleTimes.started,
        completedAt: exampleTimes.later,
      },
    ],
  });

const reviewerSchema = z
  .object({
    login: z.string().describe("The account at the code host."),
    state: z.enum(reviewerStates).describe("`requested`, then the last verdict."),
  })
  .meta({
    id: "PullRequestReviewer",
    description: "A person who is asked for a review, or gave one.",
    examples: [{ login: "grace-hopper", state: "approved" }],
  });

export const pullRequestSchema = z
  .object({
    number: z.int().describe("Its number in the repository."),
    url: z.string().describe("Its page."),
    title: z.string().describe("Its title."),
    state: z.enum(pullRequestStates).describe("Its state."),
    base: z.string().describe("The branch that it is merged into."),
    headSha: z.string().describe("The commit of the checks."),
    isMergeable: z.boolean().nullable().describe("False for conflicts; null if unknown."),
    checks: z.array(checkSchema).describe(`At most ${pullRequestChecksMax}: failed ones first, then unfinished ones.`),
    reviewers: z.array(reviewerSchema).describe(`At most ${pullRequestReviewersMax}: requested ones first.`),
  })
  .meta({
    id: "PullRequest",
    description: "A session's pull request at the code host.",
    examples: [
      {
        number: 12,
        url: "https://codehost.example.com/demo/departures/pull/12",
        title: "Sort departures by time",
        state: "open",
        base: "main",
        headSha: "9f2c1a7be04d5836c1f0a2d94e7b8356d0c4a1f2",
        isMergeable: true,
        checks: [],
        reviewers: [{ login: "grace-hopper", state: "requested" }],
      },
    ],
  });

/** Converts a pull request, within the limits of an answer. */
export function toWirePullRequest(found: ReviewedPullRequest) {
  const { number, url, title, state, base, sha: headSha, isMergeable } = found;
  const checks = listSortedChecks(found.checks)
    .slice(0, pullRequestChecksMax)
    .map(({ name, startedAt, completedAt, ...check }) => ({
      ...{ ...check, name: name.slice(0, checkNameCharacters) },
      ...{ startedAt: formatTimeOrNull(startedAt), completedAt: formatTimeOrNull(completedAt) },
    }));
  const reviewers = found.reviewers.slice(0, pullRequestReviewersMax);
  return { number, url, title, state, base, headSha, isMergeable, checks, reviewers };
}
