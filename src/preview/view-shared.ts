// The view of a shared preview, for a visitor with the link. Opening it wakes its sandbox; polling
// it does not.
import { waitUntil } from "cloudflare:workers";
import { getSandboxObject } from "../../durable-objects/address.ts";
import { listArtifacts } from "../artifact/queries.ts";
import type { Env } from "../env.ts";
import { listFrontends } from "../project/rules/frontends.ts";
import { previewWakeWaitMs } from "../rules/limits.ts";
import { isRefusal } from "../rules/refusal.ts";
import type { SandboxOwner } from "../sandbox/rules/owner.ts";
import { createFrontendUrls } from "./host/address.ts";
import type { PreviewTarget, SharedTarget } from "./queries/targets.ts";
import { isServing, type SandboxStatus } from "./rules/preview.ts";
import { isSharedSessionOver } from "./rules/share-link.ts";
import { checkPreview, createGrant, findPreviewSandboxOwner, getSandboxKey, wakePreview } from "./wake.ts";
import type { SharedPreview } from "./wire.ts";

/** Returns what a public link shows (Part 1, "Preview rules", 8). */
export async function readSharedPreview(
  env: Env,
  target: SharedTarget,
  { wakes, now }: { wakes: boolean; now: number },
): Promise<SharedPreview> {
  const { project, session } = target;
  // Artifacts are shown in every state of the preview.
  const artifacts = session ? await listArtifacts(env.DB, session.id) : [];
  const view = { projectName: project.name, sessionTitle: session?.title ?? null, frontends: [], artifacts };
  if (session && isSharedSessionOver(session)) return { ...view, status: "unavailable", reason: "session_ended" };
  const owner = findPreviewSandboxOwner(target);
  if (owner === null) return { ...view, status: "unavailable", reason: "not_running" };
  const { life, services, layout } = wakes ? await wake(env, target, owner) : await probe(env, target);
  if (life === "asleep") return { ...view, status: "unavailable", reason: "not_running" };
  if (life === "starting") return { ...view, status: "starting" };
  const frontends = listFrontends(layout ?? project.settings.services);
  if (frontends.length === 0) return { ...view, status: "unavailable", reason: "no_frontends" };
  const grant = { ...createGrant(target, null), linkMadeAt: target.link.createdAt };
  const urls = await createFrontendUrls(env, grant, frontends, now);
  const shown = frontends.map((frontend) => ({
    name: frontend.key,
    url: urls[frontend.key] ?? "",
    isServing: isServing(frontend, services),
  }));
  const status = shown.some(({ isServing }) => isServing) ? "ready" : "starting";
  return { ...view, status, frontends: shown };
}

interface Probed extends Pick<SandboxStatus, "services" | "layout"> {
  life: "running" | "starting" | "asleep";
}

/**
 * Wakes a sleeping sandbox, and waits for it no longer than `previewWakeWaitMs`. A running one is
 * not touched.
 */
async function wake(env: Env, target: SharedTarget, owner: SandboxOwner): Promise<Probed> {
  const probed = await probe(env, target);
  if (probed.life === "running") return probed;
  if (target.isBlockedOnBilling || checkPreview(target)) return probed;
  const waking = wakePreview(env, target, owner);
  waitUntil(waking.catch(() => undefined));
  const woken = await Promise.race([waking, scheduler.wait(previewWakeWaitMs).then(() => "held" as const)]);
  // A link never starts a Deploy, and only a Deploy restores a lost main sandbox.
  if (isRefusal(woken) || woken === "lost") return { life: "asleep", services: null, layout: null };
  if (woken === "held") return { life: "starting", services: null, layout: null };
  const after = await probe(env, target);
  // A sandbox that is still being paused starts after its pause.
  return woken === "starting" && after.life === "asleep" ? { ...after, life: "starting" } : after;
}

/** Reads the state of the sandbox without waking it. */
async function probe(env: Env, target: PreviewTarget): Promise<Probed> {
  const { state, services, layout } = await getSandboxObject(env, getSandboxKey(target)).status();
  switch (state) {
    case "running":
      return { life: "running", services, layout };
    case "creating":
    case "resuming":
      return { life: "starting", services, layout };
    case "absent":
    case "pausing":
    case "paused":
    case "gone":
      return { life: "asleep", services, layout };
  }
}
