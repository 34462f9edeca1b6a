// The rounds of a sweep that goes through a whole table, a page at a time. A small table is read
// once a day, not continuously.

/** The progress of a sweep in a table. */
export interface SweepRound {
  /** When the round started, in milliseconds since the epoch. */
  at: number;
  /** The id of the last row that was read; null once the round is over. */
  cursor: string | null;
}

const dayMs = 24 * 60 * 60_000;
const beforeAll = "";

/** Returns the round that a sweep continues; null while the next one is not yet due. */
export function findCurrentRound(last: SweepRound | null, now: number): (SweepRound & { cursor: string }) | null {
  if (last !== null && last.cursor !== null) return { at: last.at, cursor: last.cursor };
  return last === null || now - last.at >= dayMs ? { at: now, cursor: beforeAll } : null;
}

/**
 * Returns the progress after a page with these ids, in order. A page that is not full ends the
 * round.
 */
export function getRoundAfter({ at }: SweepRound, ids: readonly string[], pageRows: number): SweepRound {
  return { at, cursor: ids.length < pageRows ? null : (ids.at(-1) ?? null) };
}
