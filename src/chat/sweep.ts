// The sweep for silent turns. It finds objects whose alarm was lost while they have an unfinished
// turn or a Deploy in progress.
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { turnSilenceMs } from "../rules/limits.ts";
import { listProjectsAtWork, listSilentTurnOwners } from "../session/queries/index.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../sweeps/sweep.ts";

/** Applies to sessions and to projects separately. */
const ownersPerSweep = wokenPerPage / 2;
/** Each page reads different turns, so that turns that stay silent do not hide others. */
const pages = 5;

/**
 * Wakes the objects of owners whose turn has been unfinished for longer than the watchdog allows,
 * so that their watchdog runs.
 */
export async function sweepSilentTurns(env: Env, { now, after }: SweepPlace): Promise<string | null> {
  const [silent, atWork] = await Promise.all([
    listSilentTurnOwners(env.DB, now - turnSilenceMs, ownersPerSweep),
    listProjectsAtWork(env.DB, ownersPerSweep),
  ]);
  const owners = [...silent, ...atWork];
  await wakeEach(
    owners,
    ({ type, id }) => `${type} ${id}`,
    (owner) => getTurnOwnerObject(env, owner).wake(),
  );
  const isFull = silent.length === ownersPerSweep || atWork.length === ownersPerSweep;
  const page = Number(after) + 1;
  return isFull && page < pages ? String(page) : null;
}
