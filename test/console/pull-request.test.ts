// The rules of pull requests: the message with its flags, and what a state allows.
import { describe, expect, test } from "vitest";
import { countChecks, findWorstOutcome, writeChecks } from "../../console/src/pull-request/review-words.ts";
import {
  getLastWord,
  hasEvidence,
  hasReviewer,
  isShipMessage,
  listPullRequestActions,
  withEvidence,
  withReviewer,
  writeOpenPullRequest,
  writeSkill,
} from "../../console/src/pull-request/skill-message.ts";
import { readOpenPrFlags } from "../../src/session/rules/pull-request/open-flags.ts";

const empty = { isDraft: false, reviewers: "", evidence: "", text: "" };

describe("the message that opens a pull request", () => {
  test.each([
    [{}, null, "/svc:open-pr"],
    [{ isDraft: true }, "anthropic:opus__high", "/svc:open-pr -d"],
    [{ reviewers: "@ada, grace-hopper" }, null, "/svc:open-pr -r ada,grace-hopper"],
    [{ evidence: "https://a.example\nhttps://b.example" }, null, "/svc:open-pr -e https://a.example,https://b.example"],
    [
      { isDraft: true, reviewers: "ada", text: "  Sorts the board. " },
      "openai:gpt__high",
      "$svc:open-pr -d -r ada -- Sorts the board.",
    ],
  ])("%j on %s", (form, model, message) => {
    expect(writeOpenPullRequest({ ...empty, ...form }, model)).toBe(message);
  });
});

test("an artifact that is chosen as evidence is there once, beside what was typed", () => {
  const typed = "https://a.example, https://b.example";
  const chosen = withEvidence(withEvidence(typed, "https://s.example/s/1?file=2"), "https://s.example/s/1?file=2");
  expect(chosen).toBe("https://a.example https://b.example https://s.example/s/1?file=2");
  expect([hasEvidence(chosen, "https://b.example"), hasEvidence(typed, "https://a")]).toEqual([true, false]);
  expect(writeOpenPullRequest({ ...empty, evidence: chosen }, null)).toContain(",https://s.example/s/1?file=2");
});

test.each([
  { text: "Say that -d is not a flag here, nor -r bob.", reviewers: "", evidence: "" },
  { text: "-d", reviewers: "ada grace-hopper", evidence: "https://a.example" },
  { text: "https://b.example -- and --draft", reviewers: "", evidence: "https://a.example" },
])("no word of its text is read as a flag: %j", (form) => {
  const message = writeOpenPullRequest({ ...form, isDraft: false }, null);
  const read = readOpenPrFlags(message.slice("/svc:open-pr".length));
  expect(read.isDraft).toBe(false);
  expect(read.reviewers ?? []).toEqual(form.reviewers.split(" ").filter(Boolean));
  expect(read.evidence).toEqual(form.evidence === "" ? [] : [form.evidence]);
  expect(read.text).toBe(form.text);
});

test("a skill is named as its model takes it", () => {
  expect(writeSkill("ship", "openai:gpt__high")).toBe("$svc:ship");
  expect(writeSkill("ship", "zai:glm__high")).toBe("/svc:ship");
});

test.each([
  [null, "active", { open: true, sync: true, ready: false, ship: false }],
  ["draft", "active", { open: true, sync: true, ready: true, ship: false }],
  ["draft", "archived", { open: false, sync: false, ready: false, ship: false }],
  ["open", "under-review", { open: true, sync: true, ready: false, ship: true }],
  ["merged", "completed", { open: false, sync: false, ready: false, ship: false }],
  ["open", "archived", { open: false, sync: false, ready: false, ship: false }],
] as const)("a pull request that is %s, of a session that is %s", (prState, status, actions) => {
  expect(listPullRequestActions(prState, status, false)).toEqual(actions);
});

test("nothing is asked of a pull request while a turn ships it", () => {
  const nothing = { open: false, sync: false, ready: false, ship: false };
  for (const prState of ["draft", "open"] as const)
    expect(listPullRequestActions(prState, "active", true)).toEqual(nothing);
});

test.each([
  ["/svc:ship", true],
  ["$svc:ship", true],
  ["/svc:ship now", true],
  ["/svc:shipping", false],
  ["Run /svc:ship", false],
])("%j ships: %s", (message, ships) => {
  expect(isShipMessage(message)).toBe(ships);
});

test.each([
  ["", "ada", "", "ada, "],
  ["gr", "grace-hopper", "gr", "grace-hopper, "],
  ["ada, @gr", "grace-hopper", "gr", "ada, grace-hopper, "],
  ["ada, ", "grace-hopper", "", "ada, grace-hopper, "],
])("the reviewers %j with %s", (written, login, word, after) => {
  expect(getLastWord(written)).toBe(word);
  expect(withReviewer(written, login)).toBe(after);
  expect(hasReviewer(after, login.toUpperCase())).toBe(true);
});

test.each([
  [[], ""],
  [["success", "skipped"], "2 passed"],
  [["success", "timed_out", null], "1 failed, 1 running, 1 passed"],
] as const)("the checks %j read as %j", (conclusions, words) => {
  const checks = conclusions.map((conclusion) => ({
    status: conclusion === null ? ("in_progress" as const) : ("completed" as const),
    conclusion,
  }));
  expect(writeChecks(countChecks(checks))).toBe(words);
});

test.each([
  [{ failed: 1, running: 1, passed: 1 }, "failed"],
  [{ failed: 0, running: 1, passed: 1 }, "running"],
  [{ failed: 0, running: 0, passed: 1 }, "passed"],
  [{ failed: 0, running: 0, passed: 0 }, null],
])("checks %j mean %s together", (counts, outcome) => {
  expect(findWorstOutcome(counts)).toBe(outcome);
});
