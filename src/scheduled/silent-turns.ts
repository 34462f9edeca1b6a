// The sweep for silent turns: should an object's alarm ever be lost, its unfinished turn is found here and looked at again.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { turnSilenceMs } from "../rules/limits.ts";
import { silentSessions } from "../storage/queries/session-index.ts";
import { allSwept } from "./sweeps.ts";

const sessionsPerSweep = 100;

/** Wakes the objects of sessions whose turn has been unfinished for longer than the watchdog lets one be silent. */
export async function sweepSilentTurns(env: Env, now: number): Promise<void> {
  const ids = await silentSessions(env.DB, now - turnSilenceMs, sessionsPerSweep);
  await allSwept(Object.fromEntries(ids.map((id) => [`session ${id}`, sessionObject(env, id).poke()])));
}
