// The review of a pull request: who reviews it, and in what order its checks are shown.
import { expect, test } from "vitest";
import { getCheckOutcome, listReviewers, listSortedChecks } from "../../../src/code-host/rules/review.ts";

const review = (login: string | null, state: string) => ({ login, state });

test.each([
  ["nobody", [], [], []],
  ["who is asked", ["ada"], [], [["ada", "requested"]]],
  ["the last verdict", [], [review("ada", "CHANGES_REQUESTED"), review("Ada", "APPROVED")], [["Ada", "approved"]]],
  ["a verdict before a comment", [], [review("ada", "APPROVED"), review("ada", "COMMENTED")], [["ada", "approved"]]],
  ["a comment alone", [], [review("ada", "COMMENTED")], [["ada", "commented"]]],
  ["a withdrawn verdict", [], [review("ada", "APPROVED"), review("ada", "DISMISSED")], [["ada", "dismissed"]]],
  ["who is asked again", ["ADA"], [review("ada", "APPROVED")], [["ADA", "requested"]]],
  [
    "no author, no deleted account, no draft of a review, no unknown word",
    [],
    [review("author", "COMMENTED"), review(null, "APPROVED"), review("ada", "PENDING"), review("ada", "constructor")],
    [],
  ],
] as const)("the reviewers are %s", (_, requested, reviews, expected) => {
  const found = listReviewers({ author: "author", requested, reviews });
  expect(found.map(({ login, state }) => [login, state])).toEqual(expected);
});

test.each([
  ["queued", null, "pending"],
  ["in_progress", null, "pending"],
  ["completed", "success", "passed"],
  ["completed", "neutral", "passed"],
  ["completed", "skipped", "passed"],
  ["completed", "failure", "failed"],
  ["completed", "cancelled", "failed"],
  ["completed", null, "failed"],
] as const)("a check that is %s with %s has %s", (status, conclusion, outcome) => {
  expect(getCheckOutcome({ status, conclusion })).toBe(outcome);
});

test("failed checks come first, then unfinished ones, each by name", () => {
  const check = (name: string, status: "queued" | "completed", conclusion: string | null) => ({
    ...{ name, status, conclusion, url: null, startedAt: null, completedAt: null },
  });
  const sorted = listSortedChecks([
    check("a", "completed", "success"),
    check("d", "queued", null),
    check("c", "completed", "failure"),
    check("b", "completed", "timed_out"),
  ]);
  expect(sorted.map(({ name }) => name)).toEqual(["b", "c", "d", "a"]);
});
