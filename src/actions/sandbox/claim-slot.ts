// Claiming a slot for a sandbox that is to start, so that a workspace never runs more of them than its plan allows.
import { sandboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { claimSlot, type SlotOwner, slotHolders } from "../../storage/queries/sandbox-slots.ts";

/** A preview read, which answers within two seconds, waits for these looks too; what is seen later serves the next claim. */
const looksWaitMs = 1_000;

/**
 * Claims a slot; where none is left, the sandboxes that hold one are looked at first, for some may have stopped unseen. False when the
 * plan has none left. A claim that no start follows is given back by the next such look.
 */
export async function claimSlotAnew(
  env: Pick<Env, "DB" | "SANDBOX">,
  sandboxKey: string,
  owner: SlotOwner,
): Promise<boolean> {
  if (await claimSlot(env.DB, sandboxKey, owner, Date.now())) return true;
  const holders = (await slotHolders(env.DB, owner.workspaceId)).filter((holder) => holder !== sandboxKey);
  const looks = Promise.allSettled(holders.map((holder) => sandboxObject(env, holder).look()));
  await Promise.race([looks, scheduler.wait(looksWaitMs)]);
  return await claimSlot(env.DB, sandboxKey, owner, Date.now());
}
