// The question about conflicts, and what asks for a rebase.
import { expect, test } from "vitest";
import { asksForRebase, conflictQuestion } from "../../../src/rules/branch/sync-conflict.ts";

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
