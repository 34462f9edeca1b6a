// The files of a skill while they are written.
import { expect, test } from "vitest";
import {
  addFiles,
  findProblem,
  isSame,
  makePath,
  newSkill,
  parseKept,
  sortFiles,
} from "../../console/src/account/skill-files.ts";

const file = (path: string, content = "text") => ({ path, content });

test("SKILL.md is first, the others are by path", () => {
  const files = ["b.sh", "SKILL.md", "a/z.md"].map((path) => file(path));
  expect(sortFiles(files).map(({ path }) => path)).toEqual(["SKILL.md", "a/z.md", "b.sh"]);
});

test.each([
  ["notes.md", "notes.md"],
  ["run.sh", "run-2.sh"],
  ["Makefile", "Makefile-3"],
])("%s gets the free path %s", (wanted, path) => {
  expect(
    makePath(
      ["run.sh", "Makefile", "Makefile-2"].map((one) => file(one)),
      wanted,
    ),
  ).toBe(path);
});

test("files from disk are added, and SKILL.md is replaced", () => {
  const files = addFiles([file("SKILL.md", "old"), file("a.md")], [file("a.md", "new"), file("SKILL.md", "new")]);
  expect(files).toEqual([file("SKILL.md", "new"), file("a.md"), file("a-2.md", "new")]);
});

test.each([
  ["a new skill", newSkill, null],
  ["no path", [...newSkill, file(" ")], "A file has no path."],
  ["one path twice", [...newSkill, file("a"), file("a")], "Two files have the path a."],
  ["a large file", [...newSkill, file("a", "ä".repeat(51_201))], "a is larger than 100 KB."],
  ["a file as large as it may be", [...newSkill, file("a", "ä".repeat(51_200))], null],
  ["a picture", [...newSkill, file("a.png", "\0")], "a.png is not text."],
  [
    "many files",
    [...newSkill, ...Array.from({ length: 50 }, (_, at) => file(`f${at}`))],
    "A skill has at most 50 files.",
  ],
  [
    "many large files",
    [...newSkill, ...Array.from({ length: 11 }, (_, at) => file(`f${at}`, "x".repeat(100_000)))],
    "The files are larger than 1 MB together.",
  ],
])("%s: the problem is %s", (_, files, problem) => {
  expect(findProblem(files)).toBe(problem);
});

test("files are the same in any order", () => {
  expect(isSame([file("a"), file("b")], [file("b"), file("a")])).toBe(true);
  expect(isSame([file("a")], [file("a", "other")])).toBe(false);
});

test.each([
  ["", null],
  ["[]", null],
  ["{}", null],
  ['[{"path":"a"}]', null],
  ['[{"path":"a","content":"b"}]', [file("a", "b")]],
])("the kept text %j is the files %j", (text, files) => {
  expect(parseKept(text)).toEqual(files);
});
