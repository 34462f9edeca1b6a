// Creates a cron. Its rows are written first, because it is their count that the limit of the
// workspace is about.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import { writeCron } from "../../src/cron/queries/writes.ts";
import { createCron, type NewCron, tooManyCrons } from "../../src/cron/rules/cron.ts";
import { cronsPerWorkspace } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { type CronContext, told } from "./context.ts";

/**
 * Answers the cron as reads show it; null for a repeat, which has to be read. Rows without a cron
 * are deleted by `tidyUp`.
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
