// Viewing a shared preview: what somebody with the link sees, waking the sandbox behind it.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import type { SharedPreviewStatus, UnavailableReason } from "../rules/preview.ts";
import { frontendsOf } from "../rules/project-settings.ts";
import { isRefusal } from "../rules/refusal.ts";
import { isOpen } from "../rules/session.ts";
import { frontendUrls } from "../sandbox/preview-address.ts";
import type { PreviewTarget } from "../storage/queries/previews.ts";
import { previewOwner, sandboxKeyOf } from "./read-preview.ts";

export interface SharedPreview {
  projectName: string;
  sessionTitle: string | null;
  status: SharedPreviewStatus;
  reason?: UnavailableReason;
  frontends: { name: string; url: string; isServing: boolean }[];
  artifacts: never[];
}

/** Tells what a public link shows (Part 1, "Preview rules", 8). */
export async function viewSharedPreview(env: Env, target: PreviewTarget, now: number): Promise<SharedPreview> {
  const { project, session } = target;
  const view = { projectName: project.name, sessionTitle: session?.title ?? null, frontends: [], artifacts: [] };
  if (session && !isOpen(session.status)) return { ...view, status: "unavailable", reason: "session_ended" };
  const owner = previewOwner(target);
  const sandboxKey = sandboxKeyOf(target);
  const sandbox = sandboxObject(env, sandboxKey);
  const woken = owner && (await sandbox.wakeForPreview(owner));
  if (woken === null || isRefusal(woken)) return { ...view, status: "unavailable", reason: "not_running" };
  if (woken === "starting" || woken === "held") return { ...view, status: "starting" };
  const frontends = frontendsOf(project.settings);
  if (frontends.length === 0) return { ...view, status: "unavailable", reason: "no_frontends" };
  const { services } = await sandbox.sight();
  const urls = await frontendUrls(env, sandboxKey, frontends, now);
  const shown = frontends.map(({ key, service }) => ({
    name: key,
    url: urls[key] ?? "",
    isServing: services?.find(({ name }) => name === service)?.answers === true,
  }));
  const status = shown.some(({ isServing }) => isServing) ? "ready" : "starting";
  return { ...view, status, frontends: shown };
}
