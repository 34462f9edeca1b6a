// What an answer to the question about conflicts means, and what asks for a rebase.
import { expect, test } from "vitest";
import { asksForRebase, conflictQuestion, resolutionOf } from "../../src/rules/sync-conflict.ts";

test.each([
  ["Keep this branch's version", "branch"],
  ["keep this branch’s version.", "branch"],
  ["Take the Target Branch's version", "base"],
  ["  take the target branch's  ", "base"],
  ["Another resolution", "by-hand"],
  ["Keep this branch's version of a.txt alone", null],
  ["Take both", null],
  ["Please use this branch's.", "branch"],
  ["keep mine please", "branch"],
  ["1", "branch"],
  ["the second one", "base"],
  ["Use theirs", "base"],
  ["target branch", "base"],
  ["3", "by-hand"],
  ["Do something else: write both lines", "by-hand"],
  ["Another resolution, keep both but sort them", "by-hand"],
  ["do not keep this branch's version", null],
  ["Is this branch's version the newer one?", null],
  ["", null],
] as const)("the answer %j chooses %s", (answer, resolution) => {
  expect(resolutionOf(answer)).toBe(resolution);
});

test("every option is chosen by its own title", () => {
  const { options } = conflictQuestion("main", ["a.txt"]);
  expect(options.map(({ title }) => resolutionOf(title))).toEqual(["branch", "base", "by-hand"]);
});

test("a question names ten files and counts the others", () => {
  const files = Array.from({ length: 12 }, (_, at) => `${at}.txt`);
  expect(conflictQuestion("main", files).question).toContain("8.txt, 9.txt and 2 more.");
});

test.each([
  ["/svc:sync-branch", false],
  ["/svc:sync-branch rebase please", true],
  ["/svc:sync-branch and have it rebased", true],
  ["/svc:sync-branch but do not rebase", false],
  ["/svc:sync-branch, don't rebase", false],
  ["/svc:sync-branch of the database", false],
])("%j asks for a rebase: %s", (message, asks) => {
  expect(asksForRebase(message)).toBe(asks);
});
