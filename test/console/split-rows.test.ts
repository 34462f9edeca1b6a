// Diffs with their sides beside each other: which lines are opposite, and where keys lead.
import { expect, test } from "vitest";
import type { PatchLine } from "../../console/src/changes/parse-patch.ts";
import { findNextLine, toSplitRows, toUnifiedRows } from "../../console/src/changes/split-rows.ts";

const kinds: Record<string, PatchLine["kind"]> = {
  "@": "hunk",
  " ": "same",
  "-": "removed",
  "+": "added",
  "\\": "note",
};
/** Lines by their signs. */
const toLines = (signs: string): PatchLine[] =>
  [...signs].map((sign) => ({ kind: kinds[sign] ?? "same", text: sign, old: null, new: null }));
/** Rows as the places of their lines: `2|3`, `4|` without an opposite line, `0` for a whole row. */
const write = (signs: string): string =>
  toSplitRows(toLines(signs))
    .map((row) => (row.isWhole ? `${row.old}` : `${row.old ?? ""}|${row.new ?? ""}`))
    .join(" ");

test.each<[signs: string, rows: string]>([
  ["", ""],
  ["@ -+ ", "0 1|1 2|3 4|4"],
  ["--+", "0|2 1|"],
  ["-++", "0|1 |2"],
  ["++ --", "|0 |1 2|2 3| 4|"],
  ["-+-+", "0|1 2|3"],
  ["-\\+\\", "0|2 1|3"],
  ["-+\\", "0|1 |2"],
  [" \\", "0|0 1"],
  ["-@+", "0| 1 |2"],
])("the lines “%s” are the rows %s", (signs, rows) => {
  expect(write(signs)).toBe(rows);
});

// 0|2 1|3 4|4 5| |…
const split = toSplitRows(toLines("--++ -"));

test.each<[from: number | null, key: string, to: number | null]>([
  [null, "ArrowDown", 2],
  [2, "j", 3],
  [0, "ArrowDown", 1],
  [0, "ArrowRight", 2],
  [3, "ArrowLeft", 1],
  [2, "ArrowRight", null],
  [4, "ArrowLeft", null],
  [1, "ArrowDown", 4],
  [4, "ArrowDown", 5],
  [5, "ArrowDown", 5],
  [4, "k", 3],
  [2, "k", 2],
  [2, "x", null],
])("from line %s, %s leads to %s", (from, key, to) => {
  expect(findNextLine(split, from, key)).toBe(to);
});

test("below each other, keys lead from line to line", () => {
  const rows = toUnifiedRows(toLines("-+ "));
  expect(["j", "k", "ArrowLeft"].map((key) => findNextLine(rows, 1, key))).toEqual([2, 0, null]);
});
