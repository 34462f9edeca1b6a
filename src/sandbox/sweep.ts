// The sweep of old slots. A sandbox object that lost its alarm would never pause its sandbox, which costs as long as it runs.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type SweepPlace, wakeEach, wokenPerPage } from "../scheduled/sweep.ts";
import { oldSlots } from "./queries/slots.ts";

/** Wakes the objects of sandboxes that have run for long, each once an hour, whichever minute it falls in. Idempotent. */
export async function sweepOldSlots(
  env: Pick<Env, "DB" | "SANDBOX">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  const keys = await oldSlots(env.DB, now, after, wokenPerPage);
  return await wakeEach(
    keys,
    (key) => key,
    (key) => sandboxObject(env, key).poke(),
  );
}
