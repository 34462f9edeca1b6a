// Viewing a shared preview: what somebody with the link sees. Opening it wakes the sandbox behind it; a look at what became of it does not.
import { waitUntil } from "cloudflare:workers";
import { sandboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { frontendUrls } from "../../preview/address.ts";
import { checkPreviewable } from "../../rules/deploy/deploy.ts";
import { previewWakeWaitMs } from "../../rules/limits.ts";
import {
  isServing,
  type SandboxSight,
  type SharedPreviewStatus,
  type UnavailableReason,
} from "../../rules/preview/preview.ts";
import { frontendsOf } from "../../rules/project/settings.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { SandboxOwner } from "../../rules/sandbox/sandbox.ts";
import { isOpen } from "../../rules/session/session.ts";
import { type ArtifactRow, artifactsOf } from "../../storage/queries/artifacts.ts";
import type { PreviewTarget, SharedTarget } from "../../storage/queries/previews.ts";
import { openingOf, previewOwner, sandboxKeyOf } from "./read.ts";
import { wakePreview } from "./wake.ts";

export interface SharedPreview {
  projectName: string;
  sessionTitle: string | null;
  status: SharedPreviewStatus;
  reason?: UnavailableReason;
  frontends: { name: string; url: string; isServing: boolean }[];
  artifacts: ArtifactRow[];
}

/** Tells what a public link shows (Part 1, "Preview rules", 8). */
export async function viewSharedPreview(
  env: Env,
  target: SharedTarget,
  { wakes, now }: { wakes: boolean; now: number },
): Promise<SharedPreview> {
  const { project, session } = target;
  // Read first: they are told whatever becomes of the preview.
  const artifacts = session ? await artifactsOf(env.DB, session.id) : [];
  const view = { projectName: project.name, sessionTitle: session?.title ?? null, frontends: [], artifacts };
  if (session && !isOpen(session.status)) return { ...view, status: "unavailable", reason: "session_ended" };
  const owner = previewOwner(target);
  if (owner === null) return { ...view, status: "unavailable", reason: "not_running" };
  const { life, services } = wakes ? await wake(env, target, owner) : await look(env, target);
  if (life === "asleep") return { ...view, status: "unavailable", reason: "not_running" };
  if (life === "starting") return { ...view, status: "starting" };
  const frontends = frontendsOf(project.settings);
  if (frontends.length === 0) return { ...view, status: "unavailable", reason: "no_frontends" };
  const opening = { ...openingOf(target), linkMadeAt: target.link.createdAt };
  const urls = await frontendUrls(env, opening, frontends, now);
  const shown = frontends.map((frontend) => ({
    name: frontend.key,
    url: urls[frontend.key] ?? "",
    isServing: isServing(frontend, services),
  }));
  const status = shown.some(({ isServing }) => isServing) ? "ready" : "starting";
  return { ...view, status, frontends: shown };
}

interface Found {
  life: "running" | "starting" | "asleep";
  services: SandboxSight["services"];
}

/** Wakes a sandbox that sleeps, and waits for it no longer than a preview read does. To look at one that runs is no use of it. */
async function wake(env: Env, target: SharedTarget, owner: SandboxOwner): Promise<Found> {
  const found = await look(env, target);
  if (found.life === "running") return found;
  if (target.isBlockedOnBilling || checkPreviewable(target.project.deployStatus)) return found;
  const waking = wakePreview(env, target, owner);
  waitUntil(waking.catch(() => undefined));
  const woken = await Promise.race([waking, scheduler.wait(previewWakeWaitMs).then(() => "held" as const)]);
  if (isRefusal(woken)) return { life: "asleep", services: null };
  if (woken === "held") return { life: "starting", services: null };
  return await look(env, target);
}

async function look(env: Env, target: PreviewTarget): Promise<Found> {
  const { state, services } = await sandboxObject(env, sandboxKeyOf(target)).sight();
  switch (state) {
    case "running":
      return { life: "running", services };
    case "creating":
    case "resuming":
      return { life: "starting", services };
    case "absent":
    case "pausing":
    case "paused":
    case "gone":
      return { life: "asleep", services };
  }
}
