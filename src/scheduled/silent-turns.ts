// The sweep for silent turns. It finds the unfinished turns, and the Deploys at work, of objects whose alarm was lost.
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { turnSilenceMs } from "../rules/limits.ts";
import { ownersOfSilentTurns, projectsAtWork } from "../storage/queries/session-index.ts";
import { settleSweeps } from "./sweeps.ts";

const ownersPerSweep = 100;

/** Wakes the objects of owners whose turn has been unfinished for longer than the watchdog allows. Their watchdog then runs. */
export async function sweepSilentTurns(env: Env, now: number): Promise<void> {
  const [silent, atWork] = await Promise.all([
    ownersOfSilentTurns(env.DB, now - turnSilenceMs, ownersPerSweep),
    projectsAtWork(env.DB, ownersPerSweep),
  ]);
  const owners = [...silent, ...atWork];
  const pokes = owners.map((owner) => [`${owner.type} ${owner.id}`, turnOwnerObject(env, owner).poke()]);
  await settleSweeps(Object.fromEntries(pokes));
}
