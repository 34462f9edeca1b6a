// The parts of a diff that are colored, and the grammar of a file.
import { expect, test } from "vitest";
import { listSideParts } from "../../console/src/changes/line-colors.ts";
import { parsePatch } from "../../console/src/changes/parse-patch.ts";
import { findGrammarOfPath } from "../../console/src/conversation/highlighter.ts";

test("each hunk is colored as it is and as it was", () => {
  const patch = [
    "diff --git a/board.js b/board.js",
    "--- a/board.js",
    "+++ b/board.js",
    "@@ -1,3 +1,3 @@",
    " const rows = all();",
    "-rows.reverse();",
    "+sort(rows);",
    " show(rows);",
    "@@ -9,1 +9,2 @@",
    " end();",
    "+more();",
  ];
  const file = parsePatch(`${patch.join("\n")}\n`).get("board.js");
  expect(listSideParts(file?.lines ?? [])).toEqual([
    { code: "const rows = all();\nsort(rows);\nshow(rows);", places: [1, 3, 4] },
    { code: "const rows = all();\nrows.reverse();\nshow(rows);", places: [1, 2, 4] },
    { code: "end();\nmore();", places: [6, 7] },
  ]);
});

test.each([
  ["src/board.ts", "typescript"],
  ["a.b/Dockerfile", "docker"],
  ["pages/index.HTML", "html"],
  ["setup.mts", "typescript"],
  ["LICENSE", null],
  ["notes.txt", null],
  ["", null],
])("the grammar of %s", (path, grammar) => expect(findGrammarOfPath(path)).toBe(grammar));
