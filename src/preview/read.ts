// Reading a preview wakes its sandbox and returns the URLs of its frontends.
import { getProjectObject, getSandboxObject } from "../../durable-objects/address.ts";
import type { Caller } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import { listFrontends } from "../project/rules/frontends.ts";
import { awayHoldMs } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { createFrontendUrls } from "./host/address.ts";
import type { PreviewTarget } from "./queries/targets.ts";
import { checkPreview, createGrant, findPreviewSandboxOwner, getSandboxKey, wakePreview, withSpare } from "./wake.ts";

export interface Preview {
  frontendUrls: Record<string, string>;
  projectId: string;
  sandboxKey: string;
  awayHoldMs: number;
  provisioning?: true;
  creditLimitReached?: true;
  sandboxLimitReached?: true;
}

/**
 * Reads a preview (Part 1, "Preview rules"). Waits for its sandbox no longer than
 * `previewWakeWaitMs`.
 */
export async function readPreview(
  env: Env,
  { target: found, caller }: { target: PreviewTarget; caller: Pick<Caller, "user" | "keyId"> },
  now: number,
): Promise<Preview | Refusal> {
  const { project, isBlockedOnBilling } = found;
  const owner = findPreviewSandboxOwner(found);
  const unfit = owner && checkPreview(found);
  if (unfit) return unfit;
  const target = owner === null || isBlockedOnBilling ? found : await withSpare(env, found);
  const empty: Preview = {
    frontendUrls: {},
    projectId: project.id,
    sandboxKey: getSandboxKey(target),
    awayHoldMs,
    ...(isBlockedOnBilling && { creditLimitReached: true }),
  };
  if (owner === null || isBlockedOnBilling) return empty;
  const woken = await wakePreview(env, target, owner);
  if (isRefusal(woken)) return atLimit(woken) ? { ...empty, sandboxLimitReached: true } : woken;
  if (woken === "lost") {
    const { id: projectId, workspaceId, isLive, mainSandboxKey } = project;
    const facts = { projectId, workspaceId, isLive, mainSandboxKey, isBlockedOnBilling };
    await getProjectObject(env, projectId).recover(facts, mainSandboxKey);
    return empty;
  }
  const { services, isResetting, awayHoldMs: ownHoldMs } = await getSandboxObject(env, getSandboxKey(target)).layout();
  const own = { ...empty, awayHoldMs: ownHoldMs };
  if (woken === "held") return own;
  if (woken === "starting") return { ...own, provisioning: true };
  const frontends = listFrontends(services ?? project.settings.services);
  return {
    ...own,
    frontendUrls: await createFrontendUrls(env, createGrant(target, caller), frontends, now),
    ...(isResetting && { provisioning: true }),
  };
}

/** A full plan is returned as a flag, not as an error (Part 1, "Preview rules", 1). */
function atLimit({ code }: Refusal): boolean {
  return code === "SANDBOX_LIMIT_REACHED";
}
