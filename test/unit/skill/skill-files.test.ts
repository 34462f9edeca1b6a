// The files of a skill: which are accepted, and the error of those that are not, by file and field.
import { describe, expect, it, test } from "vitest";
import { skillFileBytes, skillFileCount, skillTotalBytes } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { checkSkillFiles, type TextFile } from "../../../src/skill/rules/skill-files.ts";

const main: TextFile = { path: "SKILL.md", content: "---\nname: release\ndescription: Releases.\n---\nRelease it." };
const named = (path: string): TextFile => ({ path, content: "x" });
const holding = (content: string): TextFile => ({ path: "notes.txt", content });

/** The path, the file and the field of each mistake. */
function listMistakes(files: TextFile[]): unknown {
  const checked = checkSkillFiles(files);
  if (!isRefusal(checked)) return null;
  const details = checked.details as { path: string; file?: string; field?: string }[];
  return [checked.code, ...details.map(({ path, file, field }) => [path, file, field].filter((part) => part))];
}

const kept: [what: string, files: TextFile[]][] = [
  ["a SKILL.md alone", [main]],
  ["files in folders", [main, named("a/b/c.txt"), named("a/d.txt"), named(".hidden"), named("ein Ärger…")]],
  ["names that only begin like a folder", [main, named("a"), named("ab/c")]],
  ["a part as long as any", [main, named(`${"p".repeat(255)}/${"p".repeat(255)}`)]],
  ["a path as long as any", [main, named(`${"p/".repeat(511)}pp`)]],
  ["a file as long as any, in bytes", [main, holding("é".repeat(skillFileBytes / 2))]],
  ["no text at all", [main, holding("")]],
  ["as many files as any", [main, ...Array.from({ length: skillFileCount - 1 }, (_, at) => named(`${at}`))]],
];

test.each(kept)("%s is accepted", (_, files) => {
  expect(listMistakes(files)).toBe(null);
});

describe("a path", () => {
  const refused = [
    ...["", "/a", "a//b", "a/", "./a", "a/./b", "..", "../a", "a/../b", "a\\b", "a\0b", "a\nb", "a\u0085b", "a\ud800"],
    ...["p".repeat(256), "é".repeat(128), `${"p/".repeat(512)}p`],
  ];
  test.each(refused)("%j is refused", (path) => {
    expect(listMistakes([main, named(path)])).toEqual([
      "VALIDATION_ERROR",
      ["files.1.path", path].filter((part) => part),
    ]);
  });

  it("occurs once, and is no folder of another", () => {
    expect(listMistakes([main, named("a"), named("a")])).toEqual(["VALIDATION_ERROR", ["files.2.path", "a"]]);
    expect(listMistakes([main, named("a/b/c"), named("a/b")])).toEqual(["VALIDATION_ERROR", ["files.2.path", "a/b"]]);
    expect(listMistakes([main, named("a"), named("a/b")])).toEqual(["VALIDATION_ERROR", ["files.1.path", "a"]]);
    expect(listMistakes([main, main])).toEqual(["VALIDATION_ERROR", ["files.1.path", "SKILL.md"]]);
  });
});

const refused: [what: string, files: TextFile[], mistakes: unknown[]][] = [
  ["no file", [], [["files", "SKILL.md"]]],
  ["no SKILL.md at the root", [named("a/SKILL.md"), named("skill.md")], [["files", "SKILL.md"]]],
  ["a NUL", [main, holding("a\0")], [["files.1.content", "notes.txt"]]],
  ["half a character", [main, holding("a\udc00")], [["files.1.content", "notes.txt"]]],
  ["a file too long", [main, holding("x".repeat(skillFileBytes + 1))], [["files.1.content", "notes.txt"]]],
  ["a file too long in bytes", [main, holding("é".repeat(skillFileBytes / 2 + 1))], [["files.1.content", "notes.txt"]]],
  [
    "too much in all",
    [main, ...Array.from({ length: 11 }, (_, at) => ({ path: `${at}`, content: "x".repeat(skillTotalBytes / 11) }))],
    [["files"]],
  ],
  ["too many files", [main, ...Array.from({ length: skillFileCount }, (_, at) => named(`${at}`))], [["files"]]],
  [
    "a SKILL.md with mistakes, and other mistakes beside it",
    [named(".."), { path: "SKILL.md", content: "---\nname: svc:a\n---\n" }],
    [
      ["files.0.path", ".."],
      ["files.1.content", "SKILL.md", "name"],
      ["files.1.content", "SKILL.md", "description"],
      ["files.1.content", "SKILL.md", "instructions"],
    ],
  ],
];

test.each(refused)("%s: refused, with every mistake", (_, files, mistakes) => {
  expect(listMistakes(files)).toEqual(["VALIDATION_ERROR", ...mistakes]);
});

it("returns the fields of the skill", () => {
  expect(checkSkillFiles([named("a"), main])).toEqual({
    name: "release",
    description: "Releases.",
    argumentHint: null,
    instructions: "Release it.",
  });
});
