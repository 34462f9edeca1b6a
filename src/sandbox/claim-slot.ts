// Claims a slot for a sandbox that is about to start, so that a workspace never runs more than its
// plan allows.
import { getSandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import type { SandboxLimit } from "../workspace/rules/billing-plan.ts";
import { claimSlot, findLimitMet, listSlotHolders, type SlotOwner } from "./queries/slots.ts";

/**
 * The probes are part of a preview read, which must respond within two seconds. The result of a
 * slower probe serves the next claim.
 */
const probesWaitMs = 1_000;

/**
 * Claims a slot. If none is left, probes the sandboxes that hold one and tries again: a sandbox
 * that stopped unnoticed releases its slot, and so does a claim without a start. Returns the limit
 * that was met, or null once a slot is claimed.
 */
export async function claimSlotAgain(
  env: Pick<Env, "DB" | "SANDBOX" | "JURISDICTION">,
  sandboxKey: string,
  owner: SlotOwner,
): Promise<SandboxLimit | null> {
  if (await claimSlot(env.DB, sandboxKey, owner, Date.now())) return null;
  const holders = (await listSlotHolders(env.DB, owner.workspaceId)).filter((holder) => holder !== sandboxKey);
  const probes = Promise.allSettled(holders.map((holder) => getSandboxObject(env, holder).probe()));
  await Promise.race([probes, scheduler.wait(probesWaitMs)]);
  if (await claimSlot(env.DB, sandboxKey, owner, Date.now())) return null;
  // A sandbox that has ended since then is for the next attempt.
  return (await findLimitMet(env.DB, sandboxKey, owner.workspaceId)) ?? "workspace";
}
