// The target of a preview: a session's sandbox, or the main sandbox of the project.

import { checkPreviewable } from "../deploy/rules/project-state.ts";
import type { Refusal } from "../rules/refusal.ts";
import { mainSandboxOwner, type SandboxOwner, sessionSandboxOwner } from "../rules/sandbox/owner.ts";
import type { PreviewGrant } from "./host/address.ts";
import type { PreviewTarget } from "./queries.ts";

/** The key of a preview's sandbox. */
export function sandboxKeyOf({ project, session }: PreviewTarget): string {
  return session?.sandboxKey ?? project.mainSandboxKey;
}

/** The grant for a member of the workspace. */
export function grantOf(target: PreviewTarget, userId: string | null): PreviewGrant {
  return { sandboxKey: sandboxKeyOf(target), sessionId: target.session?.id ?? null, linkMadeAt: null, userId };
}

/** The owner of the sandbox to wake. Null for sessions that are not open, and for the main preview of a project that is not live. */
export function previewSandboxOwner({ project, session }: PreviewTarget): SandboxOwner | null {
  if (session) return sessionSandboxOwner(session);
  return project.isLive ? mainSandboxOwner(project) : null;
}

/** Refuses the preview of a session that waits for a Deploy. The main preview is what a Deploy replaces, and stays meanwhile. */
export function checkPreview({ project, session }: PreviewTarget): Refusal | null {
  return session && checkPreviewable(project);
}
