// The rows of a diff. Where its sides are beside each other, what was removed is opposite to what
// was added in its place.
import type { PatchLine } from "./parse-patch.ts";

/** The places of two lines in the diff. An unchanged line is on both sides. */
export interface DiffRow {
  old: number | null;
  new: number | null;
  /** True for a row without sides, such as the head of a hunk. */
  isWhole: boolean;
}

/** A row for each line. */
export const toUnifiedRows = (lines: readonly PatchLine[]): DiffRow[] =>
  lines.map((_, at) => ({ old: at, new: at, isWhole: true }));

export function toSplitRows(lines: readonly PatchLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let [removed, added]: [number[], number[]] = [[], []];
  const close = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ old: removed[at] ?? null, new: added[at] ?? null, isWhole: false });
    [removed, added] = [[], []];
  };
  for (const [at, { kind }] of lines.entries()) {
    // A note is about the line before it.
    const isAdded = kind === "added" || (kind === "note" && added.length > 0);
    const isRemoved = kind === "removed" || (kind === "note" && removed.length > 0 && !isAdded);
    if ((kind === "removed" && added.length > 0) || (!isAdded && !isRemoved)) close();
    if (isAdded) added.push(at);
    else if (isRemoved) removed.push(at);
    else rows.push({ old: at, new: at, isWhole: kind !== "same" });
  }
  close();
  return rows;
}

/** The line to which a key leads from another one, or from none; null for any other key. */
export function findNextLine(rows: readonly DiffRow[], from: number | null, key: string): number | null {
  const at = from === null ? -1 : rows.findIndex((row) => row.old === from || row.new === from);
  const row = rows[at];
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const to = key === "ArrowLeft" ? row?.old : row?.new;
    return to === from ? null : (to ?? null);
  }
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[key];
  if (step === undefined) return null;
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  const isOld = row !== undefined && row.new !== from;
  return (isOld ? (next?.old ?? next?.new) : (next?.new ?? next?.old)) ?? null;
}
