// The question about conflicts, the meaning of its options, and the texts that request a rebase.
import { expect, test } from "vitest";
import { findChosenOptions } from "../../../src/chat/rules/clarification.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { createConflictQuestion, findResolution, isRebaseRequest } from "../../../src/checkout/rules/sync.ts";

test("a question names ten files and counts the others", () => {
  const files = Array.from({ length: 12 }, (_, at) => `${at}.txt`);
  expect(createConflictQuestion("main", files).question).toContain("8.txt, 9.txt and 2 more.");
});

test.each([
  ["Keep this branch's version", "branch"],
  ["take the target branch's version", "base"],
  ["Another resolution", "by-hand"],
  ["1", "branch"],
  ["2", "base"],
  ["3", "by-hand"],
  ["theirs", null],
  ["not the second one", null],
  ["Another resolution: write both lines", null],
] as const)("%j chooses %s", (answer, resolution) => {
  const chosen = findChosenOptions([createConflictQuestion("main", ["a.txt"])], createTextMessage(answer));
  expect(findResolution(chosen)).toBe(resolution);
});

test.each([
  ["/svc:sync-branch", false],
  ["/svc:sync-branch rebase please", true],
  ["/svc:sync-branch and have it rebased", true],
  ["/svc:sync-branch but do not rebase", false],
  ["/svc:sync-branch, don't rebase", false],
  ["/svc:sync-branch of the database", false],
])("%j asks for a rebase: %s", (message, asks) => {
  expect(isRebaseRequest(message)).toBe(asks);
});
