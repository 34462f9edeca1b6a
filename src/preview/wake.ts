// Wakes the sandbox of a preview. The slot is claimed first, so that a full plan is reported
// immediately and not by a failed start.
import { getSandboxObject, getSessionObject } from "../../durable-objects/address.ts";
import type { PreviewWake } from "../../durable-objects/sandbox/rpc.ts";
import type { Caller } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { claimSlotAgain } from "../sandbox/claim-slot.ts";
import { releaseUnusedClaim } from "../sandbox/queries/slots.ts";
import { findSessionSandboxOwner, getMainSandboxOwner, type SandboxOwner } from "../sandbox/rules/owner.ts";
import { refuseSandbox } from "../workspace/rules/billing-plan.ts";
import type { PreviewGrant } from "./host/address.ts";
import type { PreviewTarget } from "./queries/targets.ts";
import { checkPreviewable } from "./rules/previewable.ts";

/**
 * The preview of a session that has had no sandbox may start in a spare: then the session has
 * another sandbox from now on. Returns the resulting preview.
 */
export async function withSpare(env: Env, target: PreviewTarget): Promise<PreviewTarget> {
  const { session } = target;
  if (session === null || !target.mayTakeSpare) return target;
  const sandboxKey = (await getSessionObject(env, session.id).claimSpare()) ?? session.sandboxKey;
  // A spare already has a slot.
  const takesSlot = target.takesSlot && sandboxKey === session.sandboxKey;
  return { ...target, takesSlot, session: { ...session, sandboxKey } };
}

/** Wakes the sandbox of a preview. SANDBOX_LIMIT_REACHED if the plan has no room for it. */
export async function wakePreview(env: Env, target: PreviewTarget, owner: SandboxOwner): Promise<PreviewWake> {
  const key = getSandboxKey(target);
  const { takesSlot } = target;
  const limit = takesSlot ? await claimSlotAgain(env, key, owner) : null;
  if (limit !== null) return refuseSandbox(limit);
  const woken = await getSandboxObject(env, key).wakeForPreview(owner);
  if (takesSlot && isRefusal(woken)) await releaseUnusedClaim(env.DB, key, Date.now() + 1);
  return woken;
}

/** The key of a preview's sandbox. */
export function getSandboxKey({ project, session }: PreviewTarget): string {
  return session?.sandboxKey ?? project.mainSandboxKey;
}

/** The grant for a member of the workspace, or for a visitor with a link, who is no caller. */
export function createGrant(target: PreviewTarget, caller: Pick<Caller, "user" | "keyId"> | null): PreviewGrant {
  const { user = null, keyId = null } = caller ?? {};
  const sessionId = target.session?.id ?? null;
  return { sandboxKey: getSandboxKey(target), sessionId, linkMadeAt: null, userId: user?.id ?? null, keyId };
}

/**
 * The owner of the sandbox to wake. Null for sessions that are not open, and for the main preview
 * of a project that is not live.
 */
export function findPreviewSandboxOwner({ project, session }: PreviewTarget): SandboxOwner | null {
  if (session) return findSessionSandboxOwner(session);
  return project.isLive ? getMainSandboxOwner(project) : null;
}

/**
 * Refuses the preview of a session that waits for a Deploy. The main preview is what a Deploy
 * replaces, so it stays available meanwhile.
 */
export function checkPreview({ project, session }: PreviewTarget): Refusal | null {
  return session && checkPreviewable(project);
}
