// The sweep of old slots. A sandbox object that lost its alarm would never pause its sandbox, which
// costs money while it runs.
import { getSandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { listEndedSandboxes } from "../session/queries/index.ts";
import { getPrebuildLayerKey } from "../storage/objects.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../sweeps/sweep.ts";
import { deletePrebuild, listUnusedPrebuilds, retireOldPrebuilds } from "./queries/prebuilds.ts";
import { listOldSlots } from "./queries/slots.ts";
import { getEndedWorkDue } from "./rules/delete-unused.ts";

/**
 * Wakes the objects of sandboxes that have run for long, each once an hour, in the minute of its
 * claim. Idempotent.
 */
export async function sweepOldSlots(
  env: Pick<Env, "DB" | "SANDBOX" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const keys = await listOldSlots(env.DB, now, after, wokenPerPage);
  return await wakeEach(
    keys,
    (key) => key,
    (key) => getSandboxObject(env, key).checkLife(),
  );
}

/** Each base takes two calls. */
const basesPerPage = 20;
/** The longest time that a base takes to make. */
const makingMs = 30 * 60_000;
/** The delay before a failed base is made again. */
const unmadeMs = 24 * 60 * 60_000;

/**
 * Deletes replaced bases once no sandbox uses them, and bases that were never finished. Idempotent.
 */
export async function sweepUnusedBases(
  env: Pick<Env, "DB" | "STORE">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  await retireOldPrebuilds(env.DB, { makingBefore: now - makingMs, unmadeBefore: now - unmadeMs });
  return await wakeEach(
    await listUnusedPrebuilds(env.DB, after, basesPerPage),
    ({ id }) => id,
    async ({ id, projectId }) => {
      await env.STORE.delete(getPrebuildLayerKey(projectId, id));
      await deletePrebuild(env.DB, id);
    },
    basesPerPage,
  );
}

const tickMs = 60_000;
const hourMs = 60 * tickMs;
/**
 * Each session is checked more than once, in case a sweep was missed or found more than it reads.
 */
const overlapMs = hourMs;

/**
 * Drops the work of sessions that ended long ago, every ten minutes. An ended session cannot be
 * woken, but its saved work would be stored forever, along with its base. Idempotent.
 */
export async function sweepEndedWork(
  env: Pick<Env, "DB" | "SANDBOX" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  if (after === "" && Math.floor(now / tickMs) % 10 !== 0) return null;
  const to = getEndedWorkDue(now);
  const keys = await listEndedSandboxes(env.DB, { from: to - overlapMs, to }, after, wokenPerPage);
  return await wakeEach(
    keys,
    (key) => key,
    (key) => getSandboxObject(env, key).deleteWork(),
  );
}
