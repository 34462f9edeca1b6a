// The rounds of a sweep that goes through a whole table, a page at a time. A small table is gone
// through once a day, not again and again.

/** How far a sweep has come in a table. */
export interface SweepRound {
  /** When the round began, in milliseconds since the epoch. */
  at: number;
  /** The id of the last row of it; null once the round is over. */
  cursor: string | null;
}

const dayMs = 24 * 60 * 60_000;
const beforeAll = "";

/** The round that a sweep goes on with; null while the next one need not begin. */
export function roundNow(last: SweepRound | null, now: number): (SweepRound & { cursor: string }) | null {
  if (last !== null && last.cursor !== null) return { at: last.at, cursor: last.cursor };
  return last === null || now - last.at >= dayMs ? { at: now, cursor: beforeAll } : null;
}

/**
 * How far the sweep is behind a page of these ids, in their order. One that is not full ends the
 * round.
 */
export function roundBehind({ at }: SweepRound, ids: readonly string[], pageRows: number): SweepRound {
  return { at, cursor: ids.length < pageRows ? null : (ids.at(-1) ?? null) };
}
