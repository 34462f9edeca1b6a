// Bringing a sandbox up: a slot, a process, its saved work or a fresh checkout, and the project's services. Every step is safe to repeat.
import type { Env } from "../env.ts";
import type { Sandbox, SandboxOwner } from "../rules/sandbox.ts";
import { type ProgramAnswer, type ProgramClient, programClient } from "../sandbox/client.ts";
import type { SandboxDriver } from "../sandbox/driver.ts";
import { errandPassLifetimeMs, issuePass, type Pass } from "../sandbox/pass.ts";
import type { ProgramRefusal, ProgramStatus } from "../sandbox/protocol.ts";
import { findProject } from "../storage/queries/projects.ts";
import { claimSlot } from "../storage/queries/sandbox-slots.ts";

/** Why a start cannot succeed, in a sentence for people. */
export class SandboxStartRefused extends Error {}

export interface BringUp {
  key: string;
  sandbox: Sandbox & { owner: SandboxOwner };
  driver: SandboxDriver;
}

/** Brings a sandbox up. Throws SandboxStartRefused with the reason, or whatever broke. */
export async function bringUpSandbox(env: Env, { key, sandbox, driver }: BringUp): Promise<void> {
  const { owner, generation } = sandbox;
  if (!(await claimSlot(env.DB, key, owner, Date.now()))) {
    throw new SandboxStartRefused(
      "The workspace already runs as many session sandboxes as its plan allows. Stop one, then send the message again.",
    );
  }
  const project = await findProject(env.DB, owner.projectId);
  if (!project) throw new SandboxStartRefused("The project has been deleted.");
  const program = programClient(driver, sandbox.secret);
  const status = await statusOf(program);
  if (status === null) {
    await driver.stop();
    await driver.start(sandbox.secret);
  }
  if (sandbox.archiveKey !== null && status?.checkedOut !== true) await restore(env, program, sandbox.archiveKey);
  const { settings } = project;
  const pass = await errandPass(env, { key, owner, generation });
  await done(
    "The repository could not be checked out",
    program.checkout({
      remoteUrl: gitRemoteUrl(env, owner.projectId),
      pass,
      branch: owner.branch,
      baseBranch: owner.baseBranch,
      setup: settings.setup,
      env: settings.env,
    }),
  );
  await done(
    "The services could not be started",
    program.services({ services: settings.services, env: settings.env, restart: false }),
  );
}

/** A pass for something that no turn does: a clone, or a member's push. */
export async function errandPass(
  env: Env,
  of: { key: string; owner: SandboxOwner; generation: number },
): Promise<string> {
  const { workspaceId, projectId, sessionId, branch } = of.owner;
  const pass: Pass = {
    workspaceId,
    projectId,
    sessionId,
    branch,
    sandboxKey: of.key,
    generation: of.generation,
    turnId: null,
  };
  return await issuePass(env.SIGNING_KEY, pass, Date.now() + errandPassLifetimeMs);
}

/** The address of a project's repository as a sandbox sees it. */
function gitRemoteUrl(env: Env, projectId: string): string {
  return `${env.SANDBOX_TO_SERVICE_URL}/internal/git/${projectId}.git`;
}

/** What the program of this generation says, when it is up already, as after a start that was cut off. */
async function statusOf(program: ProgramClient): Promise<ProgramStatus | null> {
  try {
    const status = await program.status();
    return status.ok ? status.value : null;
  } catch {
    return null;
  }
}

async function restore(env: Env, program: ProgramClient, archiveKey: string): Promise<void> {
  const archive = await env.STORE.get(archiveKey);
  if (!archive)
    throw new SandboxStartRefused("The saved work of this sandbox is missing from storage. Contact support.");
  const restored = await program.restore(archive.body);
  if (restored.ok) return await restored.body?.cancel();
  const { message } = await restored.json<ProgramRefusal>();
  throw new SandboxStartRefused(`The saved work of this sandbox could not be restored: ${message}`);
}

async function done(what: string, answer: Promise<ProgramAnswer<unknown>>): Promise<void> {
  const outcome = await answer;
  if (!outcome.ok) throw new SandboxStartRefused(`${what}: ${outcome.refusal.message}`);
}
