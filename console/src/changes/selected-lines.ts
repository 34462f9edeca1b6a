// The lines that a comment is about: from a choice of lines in a diff to what the service takes.
import type { PatchLine } from "./parse-patch.ts";

export interface LineRange {
  side: "old" | "new";
  startLineNumber: number;
  endLineNumber: number;
  /** The lines as they are shown. */
  lineSnapshot: string;
}

/** Whether the numbers of a line count in the text before the change or after it. */
export const sideOf = (line: PatchLine): "old" | "new" => (line.kind === "removed" ? "old" : "new");

/**
 * The range between two lines of a file, in any order, on the side of the second one. Null where
 * there is no line of that side.
 */
export function toLineRange(lines: readonly PatchLine[], anchor: number, focus: number): LineRange | null {
  const last = lines[focus];
  if (!last) return null;
  const side = sideOf(last);
  const chosen = lines
    .slice(Math.min(anchor, focus), Math.max(anchor, focus) + 1)
    .filter((line) => line.kind !== "hunk" && line.kind !== "note" && line[side] !== null);
  const numbers = chosen.map((line) => line[side] ?? 0);
  if (numbers.length === 0) return null;
  return {
    side,
    startLineNumber: Math.min(...numbers),
    endLineNumber: Math.max(...numbers),
    lineSnapshot: chosen.map(({ text }) => text).join("\n"),
  };
}

/** The lines of a comment that is not finished, as the browser keeps them: `new:3:5`. */
export const formatKeptLines = ({ side, startLineNumber, endLineNumber }: Omit<LineRange, "lineSnapshot">): string =>
  `${side}:${startLineNumber}:${endLineNumber}`;

/** Where kept lines are in a diff; null where it does not show them. */
export function findKeptLines(lines: readonly PatchLine[], kept: string): { anchor: number; focus: number } | null {
  const [side, start, end] = kept.split(":");
  if (side !== "old" && side !== "new") return null;
  const anchor = findCommentLine(lines, { side, endLineNumber: Number(start) });
  const focus = findCommentLine(lines, { side, endLineNumber: Number(end) });
  return anchor === -1 || focus === -1 ? null : { anchor, focus };
}

/** The index of the line that a comment is below; -1 where the diff does not show it. */
export function findCommentLine(
  lines: readonly PatchLine[],
  { side, endLineNumber }: { side: "old" | "new"; endLineNumber: number },
): number {
  return lines.findIndex(
    (line) => line[side] === endLineNumber && line.kind !== "hunk" && (side === "new" || line.kind !== "added"),
  );
}
