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

/** Two lines of a diff, as a person chooses them. */
export interface Selection {
  anchor: number;
  focus: number;
}

/**
 * Where the lines of a range are once the diff was read again: as many consecutive lines of that
 * side with the same texts, the nearest ones. Null where the diff does not show them.
 */
export function findSameLines(
  lines: readonly PatchLine[],
  { side, startLineNumber, endLineNumber, lineSnapshot }: LineRange,
): Selection | null {
  const texts = lineSnapshot.split("\n");
  const ofSide = lines.flatMap(({ kind, text, ...line }, at) => {
    const number = line[side];
    return kind === "hunk" || number === null ? [] : [{ at, text, number }];
  });
  const found = ofSide.flatMap((first, from) => {
    const last = ofSide[from + texts.length - 1];
    const isSame = texts.every((text, at) => ofSide[from + at]?.text === text);
    return last && isSame && last.number - first.number === endLineNumber - startLineNumber ? [{ first, last }] : [];
  });
  const toDistance = (place: (typeof found)[number]) => Math.abs(place.first.number - startLineNumber);
  const [nearest] = found.sort((one, other) => toDistance(one) - toDistance(other));
  if (!nearest) return null;
  const [first, last] = [nearest.first.at, nearest.last.at];
  // The side of a choice is that of its second line.
  return side === "old" && lines[last]?.kind === "same"
    ? { anchor: last, focus: first }
    : { anchor: first, focus: last };
}

/** The lines of an unfinished comment, as the browser keeps them: `new:3:3:const a = 1;`. */
export const formatKeptLines = ({ side, startLineNumber, endLineNumber, lineSnapshot }: LineRange): string =>
  `${side}:${startLineNumber}:${endLineNumber}:${lineSnapshot}`;

/** Where kept lines are in a diff; null where it does not show them. */
export function findKeptLines(lines: readonly PatchLine[], kept: string): Selection | null {
  const [, side, start, end, lineSnapshot] = /^(old|new):(\d+):(\d+):(.*)$/s.exec(kept) ?? [];
  if ((side !== "old" && side !== "new") || lineSnapshot === undefined) return null;
  return findSameLines(lines, { side, startLineNumber: Number(start), endLineNumber: Number(end), lineSnapshot });
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
