// The settings that a running sandbox works with: those of its last start or reset. Services,
// preview addresses and the agent's commands all use them, so that a change of the project's
// settings reaches them together.
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { withPlaceholders } from "../../src/network/secrets.ts";
import { findProject, type Project } from "../../src/project/queries.ts";
import type { ProjectSettings, ServiceLayout } from "../../src/project/rules/settings.ts";
import { getDraftedSettings, unsealSettings } from "../../src/project/settings.ts";
import { findTurnOwner, type SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { issueToken, type SandboxToken, taskTokenLifetimeMs } from "../../src/sandbox/token.ts";
import type { Checkout } from "../../src/sandbox-protocol/protocol.ts";
import { getProjectObject } from "../address.ts";
import type { SandboxContext } from "./context.ts";

/**
 * The settings that a sandbox is to work with: the project's settings, and placeholders for its
 * secrets. In the sandbox of a Deploy, its agent's draft is applied to them.
 */
export async function getWantedSettings(
  env: Env,
  { key, owner }: { key: string; owner: Pick<SandboxOwner, "type"> },
  project: Pick<Project, "id" | "settings">,
): Promise<ProjectSettings> {
  const draft = owner.type === "main" ? await getProjectObject(env, project.id).readDraft(key) : null;
  return await withPlaceholders(env, project.id, await getDraftedSettings(env, project, draft));
}

/** The settings with their values; null if the project is gone. */
export async function findCurrentSettings(
  { env, store, calls }: Pick<SandboxContext, "env" | "store" | "calls">,
  projectId: string,
): Promise<ProjectSettings | null> {
  const stored = store.settings();
  if (stored) {
    try {
      return await unsealSettings(env.SEALING_KEYS, { id: projectId, settings: stored });
    } catch (error) {
      // The key that sealed the settings was removed. The project's current settings are sealed
      // again.
      log.warn("sandbox.settings_unreadable", { sandboxKey: calls.key, error });
    }
  }
  const project = await findProject(env.DB, projectId);
  return project && (await withPlaceholders(env, project.id, await unsealSettings(env.SEALING_KEYS, project)));
}

/** The services of a running sandbox with their endpoints; null if the sandbox does not run. */
export function findCurrentLayout({ store, calls }: Pick<SandboxContext, "store" | "calls">): ServiceLayout[] | null {
  if (calls.sandbox().state !== "running") return null;
  return store.settings()?.services.map(({ name, endpoints }) => ({ name, endpoints })) ?? null;
}

/** What the program of a sandbox is to check out. */
export async function getWantedCheckout(
  env: Env,
  of: { key: string; owner: SandboxOwner; generation: number },
  settings: Pick<ProjectSettings, "setup" | "env">,
): Promise<Checkout> {
  const { type, projectId, branch, baseBranch } = of.owner;
  const token = await createTaskToken(env, of, "fetch");
  return {
    ...(type === "main" && { reportsSetupFailure: true }),
    remoteUrl: gitRemoteUrl(env, projectId),
    token,
    branch,
    baseBranch,
    setup: settings.setup,
    env: settings.env,
  };
}

/** A token for work outside a turn: a clone, or a member's push. */
export async function createTaskToken(
  env: Env,
  of: { key: string; owner: SandboxOwner; generation: number; memberId?: string | null },
  git: "fetch" | "push",
): Promise<string> {
  const { workspaceId, projectId, branch } = of.owner;
  const token: SandboxToken = {
    workspaceId,
    projectId,
    owner: findTurnOwner(of.owner),
    git,
    branch,
    sandboxKey: of.key,
    generation: of.generation,
    turnId: null,
    ...(of.memberId && { memberId: of.memberId }),
  };
  return await issueToken(env, token, Date.now() + taskTokenLifetimeMs);
}

/** The address of a project's repository as a sandbox sees it. */
function gitRemoteUrl(env: Env, projectId: string): string {
  return `${env.SANDBOX_TO_SERVICE_URL}/internal/git/${projectId}.git`;
}
