// Matchers of hooks: which tools each matches, which are unreadable, and that none takes long.
import { describe, expect, test } from "vitest";
import { isMatched, isMatcher } from "../../../src/plugin/rules/matcher.ts";
import { listToolNames } from "../../../src/plugin/rules/tool-names.ts";

test.each([
  [null, "bash", true],
  ["", "bash", true],
  ["*", "bash", true],
  ["Bash", "bash", true],
  ["bash", "bash", true],
  ["Bas", "bash", false],
  ["Edit|Write", "write", true],
  ["Edit, Write", "edit", true],
  ["MultiEdit", "edit", true],
  ["Edit|Write", "bash", false],
  ["^Ba.*$", "bash", true],
  ["(Edit|Write)", "write", true],
  ["mcp__.*", "bash", false],
  ["Task", "agent", true],
  ["open_pull_request", "open_pull_request", true],
])("the matcher %j is for the tool %s: %s", (matcher, tool, is) => {
  expect(isMatched(matcher, listToolNames(tool))).toBe(is);
});

describe("a pattern matches as an expression of the language does", () => {
  const patterns = [
    ..."^Ba.*$ .* mcp__.* mcp__[a-z]+__.+ Edit.* Notebook.? [^B]ash".split(" "),
    "^(Edit|Write|MultiEdit)$",
    "(?:Read|Grep)",
    "^(mcp__(github|gitlab)__.*|Bash)$",
    "a.|",
    "^$",
    "(a*)*b",
    "(a|a?)+c",
    "\\w+_\\d",
    "\\S\\s\\S",
    "\\D\\W",
    "[A-Za-z_]+?$",
    "[-.]",
    "[\\w.-]+\\.x",
    "\\bash\\b",
    "x*?y??z+?",
  ];
  const names = [
    "",
    "Bash",
    "bash",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "mcp__github__list",
    "mcp__x",
    "a b",
    "9-",
    "aab",
  ];
  const more = ["ac", "a_1", "z", "w.x", "a-b", "WriteX", "xyz", "Grep\n"];
  test.each(patterns)("%s", (pattern) => {
    expect(isMatcher(pattern)).toBe(true);
    for (const name of [...names, ...more])
      expect([name, isMatched(pattern, [name])]).toEqual([name, new RegExp(pattern).test(name)]);
  });
});

test.each([
  ..."( ) [ ] + ? a** a*+ a{2} a{1, (?=a) (?!a) (?<!a) (?<n>a) (a)\\1 \\ \\x41 \\p [] [z-a] [a [a-\\w] a(b".split(" "),
  ".".repeat(201),
])("the matcher %s is not read, and is for no tool", (matcher) => {
  expect(isMatcher(matcher)).toBe(false);
  expect(isMatched(matcher, ["a", "aa", "Bash", ...matcher])).toBe(false);
});

test.each([
  ".?".repeat(99),
  `${".?".repeat(98)}x$`,
  `${"a?".repeat(49)}${"a".repeat(49)}!`,
  `${"(a*)*".repeat(20)}!`,
  `${"(".repeat(60)}a${")*".repeat(60)}!`,
  `(${"a|".repeat(90)}a)*!`,
  `${".*".repeat(98)}!`,
])("the matcher %s does not take long", (matcher) => {
  expect(isMatcher(matcher)).toBe(true);
  expect(isMatched(matcher, ["a".repeat(2_000)])).toBe(/[!$]/.test(matcher) === false);
});
