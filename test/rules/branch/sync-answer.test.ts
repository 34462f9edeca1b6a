// What a message means to a sync that waits for somebody to decide about its conflicts.
import { expect, test } from "vitest";
import { readSyncAnswer } from "../../../src/rules/branch/sync-answer.ts";
import { conflictQuestion } from "../../../src/rules/branch/sync-conflict.ts";

const conflict = { base: "main", branch: "svc/board-k3", conflicts: ["notes.txt"] };

test.each([
  ["Keep this branch's version", "branch"],
  ["keep this branch’s version.", "branch"],
  ["Take the Target Branch's version", "base"],
  ["  take the target branch's  ", "base"],
  ["Another resolution", "by-hand"],
  ["Please use this branch's.", "branch"],
  ["keep mine please", "branch"],
  ["1", "branch"],
  ["the second one", "base"],
  ["Use theirs", "base"],
  ["target branch", "base"],
  ["3", "by-hand"],
  ["Do something else: write both lines", "by-hand"],
  ["Another resolution, keep both but sort them", "by-hand"],
  ["use main's", "base"],
  ["take main", "base"],
  ["Main", "base"],
  ["use the main version", "base"],
  ["main’s changes, please", "base"],
  ["I want to go with origin/main.", "base"],
  ["Let `main` win", "base"],
  ["take main's version of notes.txt", "base"],
  ["main branch", "base"],
  ["use the changes from main", "base"],
  ["we want the main version for all files please", "base"],
  ["svc/board-k3", "branch"],
  ["keep svc/board-k3's changes", "branch"],
  ["Keep what this session has", "branch"],
  ["use our version", "branch"],
  ["Take both", "by-hand"],
  ["keep both lines", "by-hand"],
  ["combine mine and main's", "by-hand"],
  ["You decide", "by-hand"],
  ["keep mine\n\n(The user is looking at / in the preview.)", "branch"],
] as const)("%j chooses %s", (answer, resolution) => {
  expect(readSyncAnswer(answer, conflict)).toBe(resolution);
});

test.each([
  "don't take the target branch's version",
  "do not keep this branch's version",
  "dont use main",
  "not mine",
  "not main's",
  "neither",
  "main, not mine",
  "mine instead of main's",
  "rather not main's version",
  "discard mine",
  "drop main's version",
  "leave main's",
  "merge main",
  "use master's",
  "take develop",
  "take the newer version",
  "the other one",
  "that one",
  "not the second one",
  "yes",
  "ok",
  "main-old",
  "use the version of main-old",
])("%j is asked again", (answer) => {
  expect(readSyncAnswer(answer, conflict)).toBe("unclear");
});

test.each([
  "Is this branch's version the newer one?",
  "Keep this branch's version of a.txt alone",
  "main's for notes.txt, mine for the rest",
  "take main's but keep the heading",
  "use main's and then run the tests",
  "Rename the base class to Shape and run the tests.",
  "Update the main heading",
  "run the tests",
  "Never mind",
  "leave it for now",
  "Write a file that says what was worked on here today.",
  "Mine was written for the old board, so have a look at what main does now",
  "use master's\n\nAnd write a changelog.",
  "As you like.\n```practice\n```",
  "",
])("%j is for the agent", (answer) => {
  expect(readSyncAnswer(answer, conflict)).toBe(null);
});

test("names of branches are taken as they are", () => {
  const release = { ...conflict, base: "release/2.0" };
  expect(readSyncAnswer("use release/2.0.", release)).toBe("base");
  expect(readSyncAnswer("use release/2.0's version", release)).toBe("base");
  expect(readSyncAnswer("use main's", release)).toBe("unclear");
  expect(readSyncAnswer("use main", { ...conflict, branch: "main-board" })).toBe("base");
  expect(readSyncAnswer("use main-board", { ...conflict, branch: "main-board" })).toBe("branch");
});

test("a file's name makes no difference only where it is all of them", () => {
  expect(readSyncAnswer("take main's notes.txt", { ...conflict, conflicts: ["notes.txt", "b.txt"] })).toBe(null);
  expect(readSyncAnswer("take main's notes.txt", conflict)).toBe("base");
});

test("every option is chosen by its own title", () => {
  const { options } = conflictQuestion("main", ["a.txt"]);
  expect(options.map(({ title }) => readSyncAnswer(title, conflict))).toEqual(["branch", "base", "by-hand"]);
});
