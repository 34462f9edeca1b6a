// The services of a running sandbox: their restart for a reset, their start after a cancelled
// pause, and their logs.
import { log } from "../../src/lib/log.ts";
import { type ServiceLogPart, type ServiceLogQuery, serviceLogOffset } from "../../src/preview/rules/service-log.ts";
import { findProject } from "../../src/project/queries.ts";
import { sealSettings } from "../../src/project/settings.ts";
import { serviceLogBytes } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { isResetting, recordResetEnd, reset } from "../../src/sandbox/rules/reset.ts";
import type { SandboxContext } from "./context.ts";
import { findCurrentSettings, getWantedSettings } from "./settings.ts";
import { probeSandbox } from "./status.ts";

/** Accepts a reset. The services restart after the response. */
export async function resetServices(context: SandboxContext): Promise<Refusal | null> {
  // If the host cannot say whether the sandbox runs, the stored state counts.
  await probeSandbox(context).catch(() => undefined);
  return context.shell.decide(reset);
}

/**
 * Restarts the services with the current settings. Safe to repeat. Nothing is restarted after the
 * reset's deadline.
 */
export async function restartServices({ env, store, calls, shell }: SandboxContext, generation: number): Promise<void> {
  const sandbox = calls.sandbox();
  if (sandbox.state === "running" && sandbox.owner && isResetting(sandbox, Date.now())) {
    const project = await findProject(env.DB, sandbox.owner.projectId);
    const { owner } = sandbox;
    const settings = project && (await getWantedSettings(env, { key: calls.key, owner }, project));
    const { services = [], env: variables = {} } = settings ?? {};
    const plan = { services, env: variables, restart: true };
    const answer = await calls.callUnlessGone(() => calls.program().services(plan));
    if (isRefusal(answer)) log.warn("services.restart_failed", { sandboxKey: calls.key, error: answer.message });
    else if (project && settings && answer !== undefined)
      store.saveSettings((await sealSettings(env.SEALING_KEYS, { id: project.id, settings })).settings);
  }
  shell.decide((current) => recordResetEnd(current, generation));
}

/**
 * Starts the services that do not run, with the settings of the last start or reset. Those that run
 * are kept. Safe to repeat.
 */
export async function startStoppedServices(context: SandboxContext): Promise<void> {
  const { calls } = context;
  const { state, owner } = calls.sandbox();
  const settings = state === "running" && owner ? await findCurrentSettings(context, owner.projectId) : null;
  if (settings === null) return;
  const plan = { services: settings.services, env: settings.env, restart: false };
  const answer = await calls.callUnlessGone(() => calls.program().services(plan));
  if (isRefusal(answer)) throw new Error(`the sandbox did not start its services: ${answer.message}`);
}

/** The offsets that a sandbox may name. They come from untrusted code. */
const isOffset = (offset: unknown): offset is string => typeof offset === "string" && serviceLogOffset.test(offset);

/**
 * The output of a service of a running sandbox, after an offset if one is given. Refused with
 * `asleep` if the sandbox does not run. Neither wakes the sandbox nor keeps it awake.
 */
export async function readServiceLog(
  { calls }: SandboxContext,
  { name, after }: ServiceLogQuery,
  asleep: string,
): Promise<ServiceLogPart | Refusal> {
  if (calls.sandbox().state !== "running") return refuse("BAD_REQUEST", asleep);
  const answer = await calls.callUnlessGone(() => calls.program().serviceLog(name, after));
  if (answer === undefined) return refuse("BAD_REQUEST", asleep);
  if (isRefusal(answer)) return answer;
  const offset = isOffset(answer.offset) ? answer.offset : null;
  // Without an offset, the sandbox did not look at the given one.
  const isCut = offset === null ? after !== null : answer.isCut === true;
  return { log: String(answer.log).slice(-serviceLogBytes), offset, isCut };
}
