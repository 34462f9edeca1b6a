// A sweep: scheduled work that is done in pages. Each page is a separate invocation, and makes
// fewer calls than the platform allows in one. So a large sweep does not delay another, and
// continues where it stopped.
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";

export interface SweepPlace {
  /** When the round started, in milliseconds since the epoch. */
  now: number;
  /** The place that the last page returned; empty at the start of a round. */
  after: string;
}

/** Works through one page. Returns the place after it; null once the round is over. Idempotent. */
export type Sweep<Needs = Env> = (env: Needs, at: SweepPlace) => Promise<string | null>;

/**
 * The number of objects that a page wakes. With the reads for them it stays below 50 calls, which
 * the platform allows on every plan.
 */
export const wokenPerPage = 40;

/**
 * Wakes the object of each row of a page. An object that does not respond is logged and does not
 * stop the others.
 */
export async function wakeEach<Row>(
  rows: readonly Row[],
  getPlace: (row: Row) => string,
  wake: (row: Row) => Promise<unknown>,
  perPage = wokenPerPage,
): Promise<string | null> {
  await runInLanes(rows, perPage, wake, (row, error) =>
    log.warn("sweep.object_not_reached", { place: getPlace(row), error }),
  );
  const last = rows.at(-1);
  return last === undefined || rows.length < perPage ? null : getPlace(last);
}
