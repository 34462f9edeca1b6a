// The sandbox slot of a turn that is about to start: it is claimed before the decision, so that a full plan is refused at once and the turn does
// not fail later.
import { claimSlotAnew } from "../../src/actions/sandbox/claim-slot.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import type { SandboxFacts } from "../../src/session/rules/send-sandbox-need.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { releaseUnusedClaim } from "../../src/storage/queries/sandbox-slots.ts";
import type { SandboxLimit } from "../../src/workspace/rules/billing-plan.ts";
import { sandboxObject } from "../address.ts";
import type { SessionContext } from "./context.ts";
import type { WorkFacts } from "./rpc.ts";

type SlotFacts = Pick<WorkFacts, "sandbox" | "isSandboxLimited">;

/** The sandbox as it is now. The slot of one that is starting may be out of date, so its object is asked. */
export async function currentSandbox(
  { env, store }: SessionContext,
  { sandbox }: SlotFacts,
): Promise<SandboxFacts["sandbox"]> {
  const state = store.find();
  if (sandbox !== "starting" || state === null || isUnfinished(state.chat.turn)) return sandbox;
  const probed = await sandboxObject(env, state.session.sandboxKey).probe();
  switch (probed.sandbox) {
    case "starting":
    case "running":
      return probed.sandbox;
    case "gone":
    case "unknown":
      return null;
  }
}

/** Claims the slot if the turn has to wake its sandbox. The limit that allows no further sandbox; null for none. */
export async function claimTurnSlot(
  { env }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: SlotFacts,
): Promise<SandboxLimit | null> {
  if (sandbox !== null || !isSandboxLimited) return null;
  const { id, workspaceId, sandboxKey } = session;
  return await claimSlotAnew(env, sandboxKey, { type: "session", id, workspaceId });
}

/** Releases the slot of a turn that was refused after all, unless another request has started a turn meanwhile. */
export async function releaseTurnSlot(
  { env, store }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: SlotFacts,
): Promise<void> {
  if (sandbox !== null || !isSandboxLimited || isUnfinished(store.find()?.chat.turn ?? null)) return;
  await releaseUnusedClaim(env.DB, session.sandboxKey, Date.now() + 1);
}
