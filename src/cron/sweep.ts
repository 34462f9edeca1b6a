// The sweeps of crons. They wake crons that have not fired and runs that have not ended, in case
// their alarm was lost, and crons whose workspace has another timezone. The woken objects decide
// themselves what to do.
import { getCronObject, getCronRunObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { cronRunKeyLifetimeMs } from "../rules/limits.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../sweeps/sweep.ts";
import { listOverdueCrons } from "./queries/crons.ts";
import { listUnfinishedRuns } from "./queries/runs.ts";
import { findNextZoneChange, saveZoneChange } from "./queries/zone-changes.ts";

/** Every cron fires within a minute of its slot. */
const overdueMs = 2 * 60_000;

/** Wakes the crons that are overdue. Idempotent. */
export async function sweepCrons(
  env: Pick<Env, "DB" | "CRON" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const ids = await listOverdueCrons(env.DB, { before: now - overdueMs, after, atMost: wokenPerPage });
  return await wakeEach(
    ids,
    (id) => id,
    (id) => getCronObject(env, id).wake(),
  );
}

/** Wakes the runs that should be over. Idempotent. */
export async function sweepCronRuns(
  env: Pick<Env, "DB" | "CRON_RUN" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const ids = await listUnfinishedRuns(env.DB, { before: now - cronRunKeyLifetimeMs, after, atMost: wokenPerPage });
  return await wakeEach(
    ids,
    (id) => id,
    (id) => getCronRunObject(env, id).wake(),
  );
}

/**
 * Makes crons plan their next slot in the current timezone of their workspace. One that does not
 * respond does so when it would fire.
 */
export async function sweepZones(env: Pick<Env, "DB" | "CRON" | "JURISDICTION">): Promise<string | null> {
  const change = await findNextZoneChange(env.DB, wokenPerPage);
  if (change === null) return null;
  const { zone, cronIds } = change;
  const last =
    zone === null
      ? null
      : await wakeEach(
          cronIds,
          (id) => id,
          (id) => getCronObject(env, id).updateZone(zone),
        );
  await saveZoneChange(env.DB, change, last);
  return "more";
}
