// The sweep of main sandboxes that nobody uses. Their saved state would cost money indefinitely,
// and a Deploy can recreate it.
import { getProjectObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { unusedMainDays } from "../rules/limits.ts";
import { type SweepPlace, wakeEach } from "../sweeps/sweep.ts";
import { listUnusedMains, recordMainAsleep, type UnusedMain } from "./queries.ts";

/** Each takes two calls. */
const mainsPerPage = 20;
const unusedMs = unusedMainDays * 24 * 60 * 60_000;

/** Deletes the main sandboxes of live projects that nobody has used for a long time. Idempotent. */
export async function sweepUnusedMains(
  env: Pick<Env, "DB" | "PROJECT" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const unused = await listUnusedMains(env.DB, now - unusedMs, after, mainsPerPage);
  return await wakeEach(
    unused,
    ({ projectId }) => projectId,
    (main) => reclaim(env, main),
    mainsPerPage,
  );
}

/** The project's object decides. If it is too early, the sandbox is checked again later. */
async function reclaim(env: Pick<Env, "DB" | "PROJECT" | "JURISDICTION">, main: UnusedMain): Promise<void> {
  const reclaimed = await getProjectObject(env, main.projectId).reclaimMain({ ...main, isLive: true });
  if (!reclaimed.removed) await recordMainAsleep(env.DB, main, reclaimed.dueAt - unusedMs);
}
