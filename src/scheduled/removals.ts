// The sweep of removals. It wakes removals whose object was not started or lost its alarm, and finds sessions without a project.
import { removalObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { removalsBefore, removeLostProjects } from "../storage/queries/removals.ts";
import { settleSweeps } from "./sweeps.ts";

const removalsPerSweep = 100;
/** A request that deletes something starts its object well within this time. */
const beginMs = 60_000;
/** The search for lost projects runs once an hour, in the first minute, because it takes a step for each project. */
const lookMs = 60 * 60_000;
const tickMs = 60_000;

/** Wakes every removal. Idempotent. */
export async function sweepRemovals(env: Pick<Env, "DB" | "REMOVAL">, now: number): Promise<void> {
  if (now % lookMs < tickMs) await removeLostProjects(env.DB, now);
  const left = await removalsBefore(env.DB, now - beginMs, removalsPerSweep);
  const pokes = left.map(({ type, id }) => [
    `removal of ${type} ${id}`,
    removalObject(env, { type, id }).begin({ type, id }),
  ]);
  await settleSweeps(Object.fromEntries(pokes));
}
