// What a cron object tidies up when it is woken, which happens to each once a day: rows whose cron was never created, and old runs.

import { deleteCronRows } from "../../src/cron/queries/crons.ts";
import { runsLeft } from "../../src/cron/queries/runs.ts";
import { decided } from "../../src/rules/decision.ts";
import { cronRunsKeptMs } from "../../src/rules/limits.ts";
import type { CronContext } from "./context.ts";

/** Safe to repeat. Old runs go in pages, after the answer. */
export async function tidyUp({ env, store, shell, withLock }: CronContext, cronId: string): Promise<void> {
  if (store.find() === null) {
    // This object may have died between the write of the rows and its decision.
    await withLock("index", async () => {
      if (store.find() === null) await deleteCronRows(env.DB, cronId);
    });
    return;
  }
  const before = Date.now() - cronRunsKeptMs;
  const [old] = await runsLeft(env.DB, cronId, { after: null, before, atMost: 1 });
  if (old) shell.decide((state) => decided(state, null, state ? [{ type: "delete-old-runs", cronId }] : []));
}
