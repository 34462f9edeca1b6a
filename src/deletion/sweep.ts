// The sweep of deletions. It wakes deletions whose object was not started or lost its alarm, and
// finds sessions without a project.
import { getDeletionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../sweeps/sweep.ts";
import { deleteLostProjects, listDeletionsBefore } from "./queries.ts";

/** A request that deletes something starts its object well within this time. */
const beginMs = 60_000;
/**
 * The search for lost projects runs once an hour, in its first minute, because it takes one step
 * per project.
 */
const lookMs = 60 * 60_000;
const tickMs = 60_000;

/** Wakes every deletion. Idempotent. */
export async function sweepDeletions(
  env: Pick<Env, "DB" | "DELETION" | "JURISDICTION">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  if (after === "" && now % lookMs < tickMs) await deleteLostProjects(env.DB, now);
  const left = await listDeletionsBefore(env.DB, now - beginMs, after, wokenPerPage);
  return await wakeEach(
    left,
    ({ id }) => id,
    ({ type, id }) => getDeletionObject(env, { type, id }).start({ type, id }),
  );
}
