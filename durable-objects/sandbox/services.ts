// The services of a running sandbox: restarted in place when somebody asks for a reset.
import { reasonOf } from "../../src/reason.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { isResetting, reset, resetOver } from "../../src/rules/sandbox/reset.ts";
import { openSettings } from "../../src/storage/project-settings.ts";
import { findProject } from "../../src/storage/queries/projects.ts";
import type { SandboxContext } from "./context.ts";
import { probeSandbox } from "./status.ts";

/** Asks for a restart behind the answer. */
export async function resetServices(context: SandboxContext): Promise<Refusal | null> {
  // Where nobody can tell whether it runs, it is what it was.
  await probeSandbox(context).catch(() => undefined);
  return context.shell.decide(reset);
}

/** Restarts the services as the settings are now. Safe to repeat; what could not be restarted within the reset's time is left alone. */
export async function restartServices({ env, access, shell }: SandboxContext, generation: number): Promise<void> {
  const sandbox = access.sandbox();
  if (sandbox.state === "running" && sandbox.owner && isResetting(sandbox, Date.now())) {
    const project = await findProject(env.DB, sandbox.owner.projectId);
    const settings = project && (await openSettings(env.SEALING_KEYS, project));
    const { services = [], env: variables = {} } = settings ?? {};
    const plan = { services, env: variables, restart: true };
    const answer = await access.inSight(() => access.program().services(plan));
    if (isRefusal(answer)) console.error("services were not restarted", access.key, reasonOf(answer.message));
  }
  shell.decide((current) => resetOver(current, generation));
}
