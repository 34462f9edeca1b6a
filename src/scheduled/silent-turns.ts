// The sweep for silent turns. It finds the unfinished turns of objects whose alarm was lost.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { turnSilenceMs } from "../rules/limits.ts";
import { silentSessions } from "../storage/queries/session-index.ts";
import { settleSweeps } from "./sweeps.ts";

const sessionsPerSweep = 100;

/** Wakes the objects of sessions whose turn has been unfinished for longer than the watchdog allows. Their watchdog then runs. */
export async function sweepSilentTurns(env: Env, now: number): Promise<void> {
  const ids = await silentSessions(env.DB, now - turnSilenceMs, sessionsPerSweep);
  await settleSweeps(Object.fromEntries(ids.map((id) => [`session ${id}`, sessionObject(env, id).poke()])));
}
