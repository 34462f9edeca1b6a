// Creates a cron. Its rows are written first, because the limit of the workspace counts rows.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import { writeCron } from "../../src/cron/queries/writes.ts";
import { createCron, type NewCron, tooManyCrons } from "../../src/cron/rules/cron.ts";
import { cronsPerWorkspace } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { type CronContext, told } from "./context.ts";

/**
 * Returns the cron as reads show it; null for a repeat, which must be read. `tidyUp` deletes rows
 * without a cron.
 */
export async function createOne(
  { env, store, shell, withLock }: CronContext,
  command: NewCron,
  by: Actor,
): Promise<CronRow | Refusal | null> {
  return await withLock("index", async () => {
    if (store.find() !== null) return null;
    const now = Date.now();
    const planned = createCron(null, command, now);
    if (isRefusal(planned) || planned.state === null) return isRefusal(planned) ? planned : null;
    const row = await writeCron(env.DB, planned.state, cronsPerWorkspace);
    if (row === null) return tooManyCrons;
    return shell.decide((state) => told(createCron(state, command, now), state, "created", by)) ?? row;
  });
}
