// A sweep: work that is looked for on a schedule, in pages. Each page is an invocation of its own,
// and makes fewer calls than the platform allows in one: so a sweep with much to do takes nothing
// from another, and continues where it stopped.
import type { Env } from "../env.ts";
import { inLanes } from "../lib/concurrency.ts";
import { reasonOf } from "../lib/error-text.ts";

export interface SweepPlace {
  /** When the round began, in milliseconds since the epoch. */
  now: number;
  /** What the last page answered; empty at the begin of a round. */
  after: string;
}

/** Works through one page. Answers the place after it; null once the round is over. Idempotent. */
export type Sweep<Needs = Env> = (env: Needs, at: SweepPlace) => Promise<string | null>;

/**
 * Objects that a page wakes. With what is read for them it stays below 50 calls, which the platform
 * allows on every plan.
 */
export const wokenPerPage = 40;

/**
 * Wakes the object of each row of a page. One that does not answer is logged, and stops no other.
 */
export async function wakeEach<Row>(
  rows: readonly Row[],
  placeOf: (row: Row) => string,
  wake: (row: Row) => Promise<unknown>,
  perPage = wokenPerPage,
): Promise<string | null> {
  await inLanes(rows, perPage, wake, (row, error) =>
    console.error("a sweep did not reach one", placeOf(row), reasonOf(error)),
  );
  const last = rows.at(-1);
  return last === undefined || rows.length < perPage ? null : placeOf(last);
}
