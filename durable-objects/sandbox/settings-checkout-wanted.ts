// The checkout that a sandbox is to have, and the tokens by which its program reaches the repository.
import type { Env } from "../../src/env.ts";
import type { ProjectSettings } from "../../src/project/rules/settings.ts";
import { type SandboxOwner, turnOwnerOf } from "../../src/sandbox/rules/owner.ts";
import { issueToken, type SandboxToken, taskTokenLifetimeMs } from "../../src/sandbox/token.ts";
import type { Checkout } from "../../src/sandbox-protocol/protocol.ts";

/** What the program of a sandbox is to check out. */
export async function checkoutWanted(
  env: Env,
  of: { key: string; owner: SandboxOwner; generation: number },
  settings: Pick<ProjectSettings, "setup" | "env">,
): Promise<Checkout> {
  const { type, projectId, branch, baseBranch } = of.owner;
  const token = await taskToken(env, of, "fetch");
  return {
    ...(type === "main" && { mends: true }),
    remoteUrl: gitRemoteUrl(env, projectId),
    token,
    branch,
    baseBranch,
    setup: settings.setup,
    env: settings.env,
  };
}

/** A token for work outside a turn: a clone, or a member's push. */
export async function taskToken(
  env: Env,
  of: { key: string; owner: SandboxOwner; generation: number; memberId?: string | null },
  git: "fetch" | "push",
): Promise<string> {
  const { workspaceId, projectId, branch } = of.owner;
  const token: SandboxToken = {
    workspaceId,
    projectId,
    owner: turnOwnerOf(of.owner),
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
