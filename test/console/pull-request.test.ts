// The rules of pull requests: the message with its flags, and what a state allows.
import { describe, expect, test } from "vitest";
import {
  listPullRequestActions,
  writeOpenPullRequest,
  writeSkill,
} from "../../console/src/pull-request/skill-message.ts";

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
      "$svc:open-pr -d -r ada Sorts the board.",
    ],
  ])("%j on %s", (form, model, message) => {
    expect(writeOpenPullRequest({ ...empty, ...form }, model)).toBe(message);
  });
});

test("a skill is named as its model takes it", () => {
  expect(writeSkill("ship", "openai:gpt__high")).toBe("$svc:ship");
  expect(writeSkill("ship", "zai:glm__high")).toBe("/svc:ship");
});

test.each([
  [null, "active", { open: true, sync: true, ship: false }],
  ["draft", "active", { open: true, sync: true, ship: false }],
  ["open", "under-review", { open: true, sync: true, ship: true }],
  ["merged", "completed", { open: false, sync: false, ship: false }],
  ["open", "archived", { open: false, sync: false, ship: false }],
] as const)("a pull request that is %s, of a session that is %s", (prState, status, actions) => {
  expect(listPullRequestActions(prState, status)).toEqual(actions);
});
