// Works through all pages of a sweep.
import type { Sweep } from "../../../src/sweeps/sweep.ts";

/** Returns the number of pages. */
export async function sweepWhole<Needs>(sweep: Sweep<Needs>, env: Needs, now: number): Promise<number> {
  let after: string | null = "";
  for (let pages = 1; ; pages++) {
    after = await sweep(env, { now, after });
    if (after === null) return pages;
  }
}
