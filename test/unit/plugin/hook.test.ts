// Hooks of plugins: their time limits, and the meaning of their end.
import { describe, expect, test } from "vitest";
import { parseHooks, readHookAnswer, silence } from "../../../src/plugin/rules/hook.ts";
import { fromPublishedInput, toPublishedInput, toPublishedName } from "../../../src/plugin/rules/tool-names.ts";

test.each([
  [
    { type: "command", command: "true" },
    { timeoutMs: 60_000, isAsync: false },
  ],
  [{ type: "command", command: "true", timeout: 5 }, { timeoutMs: 5_000 }],
  [{ type: "command", command: "true", timeout: 5_000 }, { timeoutMs: 600_000 }],
  [
    { type: "command", command: "true", timeout: -1, async: true },
    { timeoutMs: 60_000, isAsync: true },
  ],
])("the hook %j has %j", (hook, expected) => {
  expect(parseHooks({ Stop: [{ hooks: [hook] }] })).toMatchObject([expected]);
});

describe("a hook that ends", () => {
  const json = (value: unknown) => ({ exitCode: 0, stdout: JSON.stringify(value), stderr: "" });
  const own = (fields: object) => json({ hookSpecificOutput: fields });
  test.each([
    ["PreToolUse", "with 0 says nothing", { exitCode: 0, stdout: "all well", stderr: "" }, {}],
    ["PreToolUse", "with 2 forbids", { exitCode: 2, stdout: "", stderr: " Not so.\n" }, { block: "Not so." }],
    [
      "PreToolUse",
      "with 2 and no words forbids",
      { exitCode: 2, stdout: "", stderr: "" },
      { block: "It gave no reason." },
    ],
    ["SessionStart", "with 0 and a text adds it", { exitCode: 0, stdout: "known\n", stderr: "" }, { context: "known" }],
    [
      "UserPromptSubmit",
      "with 0 and a text adds it",
      { exitCode: 0, stdout: "known", stderr: "" },
      { context: "known" },
    ],
    [
      "PreToolUse",
      "and denies forbids",
      own({ permissionDecision: "deny", permissionDecisionReason: "No." }),
      { block: "No." },
    ],
    [
      "PreToolUse",
      "and asks forbids",
      own({ permissionDecision: "ask" }),
      { block: expect.stringContaining("Nobody") },
    ],
    ["PreToolUse", "and allows forbids nothing", own({ permissionDecision: "allow" }), {}],
    ["PreToolUse", "and blocks in the older way forbids", json({ decision: "block", reason: "No." }), { block: "No." }],
    ["PreToolUse", "and changes the input", own({ updatedInput: { command: "ls" } }), { input: { command: "ls" } }],
    ["PostToolUse", "and changes an input too late", own({ updatedInput: { command: "ls" } }), {}],
    ["PostToolUse", "and blocks objects", json({ decision: "block", reason: "No." }), { block: "No." }],
    ["PostToolUse", "and adds context", own({ additionalContext: "known" }), { context: "known" }],
    ["Stop", "and blocks has it go on", json({ decision: "block", reason: "More." }), { block: "More." }],
    ["Stop", "and ends the turn", json({ continue: false, stopReason: "Enough." }), { halt: "Enough." }],
    ["Stop", "and tells people", json({ systemMessage: "Look." }), { message: "Look." }],
    ["SessionStart", "and blocks forbids nothing", json({ decision: "block", reason: "No." }), {}],
  ] as const)("%s: %s", (event, _, end, expected) => {
    expect(readHookAnswer(event, end)).toEqual({ ...silence, ...expected });
  });
  test.each([
    ["PreToolUse", { exitCode: 1, stdout: "", stderr: "oh" }, "It exited with 1. oh"],
    ["PreToolUse", { exitCode: 137, stdout: "{}", stderr: "" }, "It exited with 137."],
    ["SessionStart", { exitCode: 2, stdout: "", stderr: "" }, "It exited with 2."],
    ["Stop", { exitCode: 0, stdout: "{no", stderr: "" }, "Its answer is no JSON."],
  ] as const)("%s: %j is broken", (event, end, broken) => {
    expect(readHookAnswer(event, end)).toEqual({ broken });
  });
});

describe("a tool as hooks know it", () => {
  const absolute = (path: string) => `/p/${path}`;
  const edits = [{ oldText: "a", newText: "b" }];
  test.each([
    ["bash", { command: "ls" }, { command: "ls" }],
    ["write", { path: "a", content: "c" }, { path: "a", content: "c", file_path: "/p/a" }],
    ["edit", { path: "a", edits }, { path: "a", edits, file_path: "/p/a", old_string: "a", new_string: "b" }],
  ])("%s", (tool, input, told) => {
    expect(toPublishedInput(tool, input, absolute)).toEqual(told);
    expect(fromPublishedInput(tool, input, told, told)).toEqual(input);
  });
  test("may get something else, under either name", () => {
    const input = { path: "a", content: "c" };
    const told = toPublishedInput("write", input, absolute);
    expect(fromPublishedInput("write", input, told, { ...told, file_path: "/p/b" })).toEqual({
      path: "/p/b",
      content: "c",
    });
    expect(fromPublishedInput("write", input, told, { content: "d" })).toEqual({ path: "a", content: "d" });
    const edit = toPublishedInput("edit", { path: "a", edits }, absolute);
    expect(fromPublishedInput("edit", { path: "a", edits }, edit, { ...edit, new_string: "c" })).toEqual({
      path: "a",
      edits: [{ oldText: "a", newText: "c" }],
    });
    expect(fromPublishedInput("bash", { command: "ls", timeout: 1 }, {}, { command: "pwd" })).toEqual({
      command: "pwd",
      timeout: 1,
    });
  });
  test("has a published name where there is one", () => {
    expect(["bash", "find", "artifact"].map(toPublishedName)).toEqual(["Bash", "Glob", "artifact"]);
  });
});
