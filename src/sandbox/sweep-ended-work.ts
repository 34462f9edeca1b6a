// The sweep of ended work. An ended session cannot be woken, but its saved work would be kept for ever, and the base that it stands on with it.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { endedWorkDays } from "../rules/limits.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../scheduled/sweep.ts";
import { sandboxesOfEnded } from "../session/queries/index.ts";

const tickMs = 60_000;
const hourMs = 60 * tickMs;
const keptMs = endedWorkDays * 24 * hourMs;
/** Each is asked more than once, in case a sweep was missed or found more than it reads. */
const overlapMs = hourMs;

/** Drops the work of sessions that ended long ago, every ten minutes. Idempotent. */
export async function sweepEndedWork(
  env: Pick<Env, "DB" | "SANDBOX">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  if (after === "" && Math.floor(now / tickMs) % 10 !== 0) return null;
  const to = now - keptMs;
  const keys = await sandboxesOfEnded(env.DB, { from: to - overlapMs, to }, after, wokenPerPage);
  return await wakeEach(
    keys,
    (key) => key,
    (key) => sandboxObject(env, key).dropWork(),
  );
}
