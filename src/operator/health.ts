// Reads the figures of the service's health.
import { getSweepObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { runInLanes } from "../lib/concurrency.ts";
import { log } from "../lib/log.ts";
import { sweepNames } from "../sweeps/rules/sweep-name.ts";
import { countForHealth } from "./queries.ts";
import { type Health, toHealth } from "./rules/health.ts";

/**
 * Reads the health of the service. A sweep whose object does not answer is left out, and logged.
 */
export async function readHealth(env: Env, now: number): Promise<Health> {
  const sweeps: { name: string; finishedAt: number | null }[] = [];
  const [counts] = await Promise.all([
    countForHealth(env.DB, now),
    runInLanes(
      sweepNames,
      sweepNames.length,
      async (name) => void sweeps.push({ name, finishedAt: await getSweepObject(env, name).findLastRound() }),
      (sweep, error) => log.warn("sweep.not_asked", { sweep, error }),
    ),
  ]);
  return toHealth({ sweeps, ...counts }, now);
}
