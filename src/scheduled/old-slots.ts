// The sweep of old slots. A sandbox object that lost its alarm would never pause its sandbox, which costs as long as it runs.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { oldSlots } from "../storage/queries/sandbox-slots.ts";
import { settleSweeps } from "./sweeps.ts";

const slotsPerSweep = 500;

/** Pokes the objects of sandboxes that have run for long, each once an hour, whichever minute it falls in. Idempotent. */
export async function sweepOldSlots(env: Env, now: number): Promise<void> {
  const keys = await oldSlots(env.DB, now, slotsPerSweep);
  const pokes = keys.map((key) => [`sandbox ${key}`, sandboxObject(env, key).poke()]);
  await settleSweeps(Object.fromEntries(pokes));
}
