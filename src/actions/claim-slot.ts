// Claiming a slot for a sandbox that is to start, so that a workspace never runs more of them than its plan allows.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { claimSlot, type SlotOwner, slotHolders } from "../storage/queries/sandbox-slots.ts";

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
  await Promise.allSettled(holders.map((holder) => sandboxObject(env, holder).look()));
  return await claimSlot(env.DB, sandboxKey, owner, Date.now());
}
