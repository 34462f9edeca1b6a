// The sweep of crons. It wakes crons that have not fired and runs that have not ended, in case their alarm was lost. They judge themselves.
import { cronObject, cronRunObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { cronRunKeyLifetimeMs } from "../rules/limits.ts";
import { unfinishedRuns } from "../storage/queries/cron-runs.ts";
import { overdueCrons } from "../storage/queries/crons.ts";
import { settleSweeps } from "./sweeps.ts";

const atMost = 500;
/** Every cron fires within a minute of its slot. */
const overdueMs = 2 * 60_000;

/** Wakes what is overdue. Idempotent. */
export async function sweepCrons(env: Pick<Env, "DB" | "CRON" | "CRON_RUN">, now: number): Promise<void> {
  const [crons, runs] = await Promise.all([
    overdueCrons(env.DB, now - overdueMs, atMost),
    unfinishedRuns(env.DB, now - cronRunKeyLifetimeMs, atMost),
  ]);
  await settleSweeps({
    ...Object.fromEntries(crons.map((id) => [`cron ${id}`, cronObject(env, id).poke()])),
    ...Object.fromEntries(runs.map((id) => [`cron run ${id}`, cronRunObject(env, id).poke()])),
  });
}
