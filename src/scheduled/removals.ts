// The sweep of removals. It wakes those whose object was not told to begin, or whose alarm was lost, and finds sessions without a project.
import { removalObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { removalsBefore, removeLostProjects } from "../storage/queries/removals.ts";
import { settleSweeps } from "./sweeps.ts";

const removalsPerSweep = 100;
/** A request that deletes something tells the object well within this. */
const beginMs = 60_000;
/** Lost projects are looked for in the first minute of an hour: that takes a step for each project there is. */
const lookMs = 60 * 60_000;
const tickMs = 60_000;

/** Has every removal go on. Idempotent. */
export async function sweepRemovals(env: Pick<Env, "DB" | "REMOVAL">, now: number): Promise<void> {
  if (now % lookMs < tickMs) await removeLostProjects(env.DB, now);
  const left = await removalsBefore(env.DB, now - beginMs, removalsPerSweep);
  const pokes = left.map(({ type, id }) => [
    `removal of ${type} ${id}`,
    removalObject(env, { type, id }).begin({ type, id }),
  ]);
  await settleSweeps(Object.fromEntries(pokes));
}
