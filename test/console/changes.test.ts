// The rules of Changes: a patch as git writes it, marks that a change clears, and selected lines.
import { describe, expect, test } from "vitest";
import { parsePatch, unquotePath } from "../../console/src/changes/parse-patch.ts";
import {
  findCommentLine,
  findKeptLines,
  formatKeptLines,
  toLineRange,
} from "../../console/src/changes/selected-lines.ts";
import { listToSend, markSent } from "../../console/src/changes/unsent.ts";
import { isViewed, markViewed } from "../../console/src/changes/viewed.ts";

const patch = [
  "diff --git a/board.js b/board.js",
  "index c345378..6c76c0b 100644",
  "--- a/board.js",
  "+++ b/board.js",
  "@@ -1,3 +1,4 @@ export function",
  "+// top",
  " one",
  "--- two",
  "+++ two",
  " three",
  "\\ No newline at end of file",
  "diff --git a/<img src=x onerror=alert(1)>.md b/<img src=x onerror=alert(1)>.md",
  "new file mode 100644",
  "--- /dev/null",
  "+++ b/<img src=x onerror=alert(1)>.md\t",
  "@@ -0,0 +1 @@",
  "+diff --git a/no b/no",
  "diff --git a/README.md b/GUIDE.md",
  "similarity index 100%",
  "rename from README.md",
  "rename to GUIDE.md",
  "diff --git a/logo.bin b/logo.bin",
  "new file mode 100644",
  "Binary files /dev/null and b/logo.bin differ",
  "diff --git a/gone.js b/gone.js",
  "deleted file mode 100644",
  "--- a/gone.js",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-x",
  "",
].join("\n");
const files = parsePatch(patch);
const board = files.get("board.js")?.lines ?? [];

describe("a patch", () => {
  test("has its files by path", () => {
    expect([...files.keys()]).toEqual([
      "board.js",
      "<img src=x onerror=alert(1)>.md",
      "GUIDE.md",
      "logo.bin",
      "gone.js",
    ]);
    expect(files.get("GUIDE.md")).toMatchObject({ previousPath: "README.md", lines: [], isBinary: false });
    expect(files.get("logo.bin")).toMatchObject({ isBinary: true, lines: [] });
    expect(files.get("gone.js")?.lines.at(-1)).toEqual({ kind: "removed", text: "x", old: 1, new: null });
  });

  test("numbers its lines, also those that look like heads", () => {
    expect(board.map(({ kind, text, old, new: after }) => [kind, text, old, after])).toEqual([
      ["hunk", "export function", 1, 1],
      ["added", "// top", null, 1],
      ["same", "one", 1, 2],
      ["removed", "-- two", 2, null],
      ["added", "++ two", null, 3],
      ["same", "three", 3, 4],
      ["note", "No newline at the end", null, null],
    ]);
  });

  test.each([
    ["plain.js", "plain.js"],
    ['"a/\\303\\274ber.js"', "a/über.js"],
    ['"say \\"hi\\"\\t.js"', 'say "hi"\t.js'],
  ])("writes %s for %s", (written, path) => {
    expect(unquotePath(written)).toBe(path);
  });
});

test("a mark holds until the file changes", () => {
  const marks = markViewed({}, "a.js", "+1", true);
  expect(isViewed(marks, "a.js", "+1")).toBe(true);
  expect(isViewed(marks, "a.js", "+2")).toBe(false);
  expect(isViewed(marks, "constructor", "+1")).toBe(false);
  expect(markViewed(marks, "a.js", "+1", false)).toEqual({});
});

describe("selected lines", () => {
  test.each([
    [1, 2, { side: "new", startLineNumber: 1, endLineNumber: 2, lineSnapshot: "// top\none" }],
    [4, 1, { side: "new", startLineNumber: 1, endLineNumber: 3, lineSnapshot: "// top\none\n++ two" }],
    [3, 3, { side: "old", startLineNumber: 2, endLineNumber: 2, lineSnapshot: "-- two" }],
    [0, 0, null],
    [6, 6, null],
    [9, 9, null],
  ])("from %i to %i", (anchor, focus, range) => {
    expect(toLineRange(board, anchor, focus)).toEqual(range);
  });

  test("a comment is below its last line", () => {
    expect(findCommentLine(board, { side: "new", endLineNumber: 3 })).toBe(4);
    expect(findCommentLine(board, { side: "old", endLineNumber: 2 })).toBe(3);
    expect(findCommentLine(board, { side: "new", endLineNumber: 99 })).toBe(-1);
  });
});

test("comments that the agent has had are left out, until they change", () => {
  const [one, two] = [
    { id: "1", resolved: false, updatedAt: "a" },
    { id: "2", resolved: true, updatedAt: "a" },
  ];
  const three = { id: "3", resolved: false, updatedAt: "a" };
  const sent = markSent({}, [one]);
  expect(listToSend([one, two], {})).toEqual([one]);
  expect(listToSend([one, two, three], sent)).toEqual([three]);
  expect(listToSend([{ ...one, updatedAt: "b" }, three], markSent(sent, [three]))).toEqual([
    { ...one, updatedAt: "b" },
  ]);
  expect(listToSend([one, two], sent)).toEqual([one]);
});

test.each<[at: [number, number], kept: string]>([
  [[1, 2], "new:1:2"],
  [[3, 3], "old:2:2"],
  [[2, 4], "new:2:3"],
])("the lines %j of an unfinished comment are found again, kept as %s", (at, kept) => {
  const range = toLineRange(board, ...at);
  expect(range && formatKeptLines(range)).toBe(kept);
  expect(findKeptLines(board, kept)).toEqual({ anchor: at[0], focus: at[1] });
});

test.each(["", "new:40:41", "new:1:41", "side:1:1"])("a diff does not show the kept lines %j", (kept) => {
  expect(findKeptLines(board, kept)).toBeNull();
});
