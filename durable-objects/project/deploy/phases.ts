// The work of the phases of a Deploy. Each is safe to repeat. The rules of phases decide on its
// outcome.

import { listWorkspaceProviders } from "../../../src/deploy/queries.ts";
import { findDeployModel, getNoModelError } from "../../../src/deploy/rules/model.ts";
import { type PhaseOutcome, recordPhaseDone } from "../../../src/deploy/rules/phase.ts";
import { type Deploy, findWorkSandboxKey, type ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { formatServiceProblem } from "../../../src/deploy/rules/service-problem.ts";
import type { Env } from "../../../src/env.ts";
import { createId } from "../../../src/lib/ids.ts";
import { catalog } from "../../../src/model/catalog.ts";
import type { SandboxStatus } from "../../../src/preview/rules/preview.ts";
import { findProject, type Project } from "../../../src/project/queries.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { getSandboxObject } from "../../address.ts";
import type { ProjectContext } from "../context.ts";
import { applyDraft, promote } from "./settings.ts";
import { updatePool } from "./spare-pool.ts";

/** The time in which the services of a sandbox must respond once more before it becomes live. */
const checkWaitMs = 20_000;
/** The most attempts to bring up a sandbox that stops while its services start. */
const bringUpsMax = 3;
/** The work of a phase ends this long before its deadline, so that its own reason is reported. */
const beforeDeadlineMs = 5_000;

/** Does the work of the current phase. An outdated effect does nothing. */
export async function performPhase(context: ProjectContext, phaseId: string): Promise<void> {
  const { env, store, decide } = context;
  const state = store.find();
  if (state?.deploy?.phaseId !== phaseId) return;
  const { phaseDueAt: dueAt } = state.deploy;
  // A Deploy that failed has no sandbox of its own, and its update works in the live one.
  const key = findWorkSandboxKey(state);
  if (key === null || dueAt === null) return;
  const project = await findProject(env.DB, state.id);
  // The deletion of the project ends its Deploy.
  if (!project) return;
  const outcome = await performPhaseWork(context, { state, deploy: state.deploy, key, dueAt, project });
  decide((current, now) => recordPhaseDone(current, { phaseId, outcome, nextTurnId: createId(now) }, now));
}

interface PhaseWork {
  state: ProjectState;
  deploy: Deploy;
  /** Of its sandbox. */
  key: string;
  dueAt: number;
  project: Project;
}

async function performPhaseWork(context: ProjectContext, work: PhaseWork): Promise<PhaseOutcome> {
  const { state, deploy, key, project } = work;
  switch (deploy.status) {
    case "creating_sandbox":
      return await createSandbox(context, work);
    case "starting_services":
      return await startServices(context, work);
    case "warming":
      await getSandboxObject(context.env, key).warm();
      return { type: "done" };
    case "promoting":
      if (!deploy.isSwitching) return await checkServices(context, work);
      await promote(context, key);
      return { type: "done", model: await findModelNow(context, state) };
    case "updating":
      await applyDraft(context, project);
      return { type: "done", model: await findModelNow(context, state) };
    case "warming_pool":
      await updatePool(context);
      return { type: "done" };
    default:
      return { type: "done" };
  }
}

/** Finds the model that a turn of the agent would run on now; null if none can. */
export async function findModelNow(
  { env }: ProjectContext,
  state: Pick<ProjectState, "workspaceId" | "savedModel">,
): Promise<string | null> {
  const runnable = await listWorkspaceProviders(env.DB, state.workspaceId);
  return findDeployModel(state.savedModel, { catalog, runnable });
}

/** Does not create a sandbox if no agent could work in it. */
async function createSandbox(context: ProjectContext, work: PhaseWork): Promise<PhaseOutcome> {
  const { state, deploy, key } = work;
  const needsAgent = deploy.trigger === "user" || state.instructions.length > 0;
  if (needsAgent && (await findModelNow(context, state)) === null) {
    // A Deploy that was stopped here earlier may have a sandbox.
    const hasSandbox = !(await getSandboxObject(context.env, key).isLost());
    return { type: "failed", error: getNoModelError(state.savedModel), hasSandbox };
  }
  const up = await bringUp(context, work);
  if (isRefusal(up)) return { type: "failed", error: up.message };
  return { type: "done", problems: up.setupFailure === null ? [] : [up.setupFailure] };
}

/** A Deploy that a member started uses a fresh clone, not a base. */
async function bringUp({ env }: ProjectContext, { deploy, key, project }: PhaseWork) {
  const owner = { ...getMainSandboxOwner(project), isFresh: deploy.trigger === "user" };
  return await getSandboxObject(env, key).bringUp(owner);
}

async function startServices(context: ProjectContext, work: PhaseWork): Promise<PhaseOutcome> {
  const { state, deploy, key, dueAt } = work;
  const until = dueAt - beforeDeadlineMs;
  for (let attempt = 1; ; attempt++) {
    // The sandbox may have been lost since it was created.
    const up = await bringUp(context, work);
    if (isRefusal(up)) return { type: "failed", error: up.message };
    const problems = await waitForServices(context.env, key, until);
    if (problems.includes(sandboxStopped) && attempt < bringUpsMax) continue;
    const { setupFailure } = up;
    const isNews = setupFailure !== null && !deploy.problems.includes(setupFailure);
    if (isNews) problems.unshift(setupFailure);
    return { type: "done", problems, model: await findModelNow(context, state) };
  }
}

/** Every endpoint must respond before the sandbox may become the live one. */
async function checkServices(context: ProjectContext, { key, project }: PhaseWork): Promise<PhaseOutcome> {
  // The sandbox may have paused while a member was asked.
  const up = await getSandboxObject(context.env, key).bringUp(getMainSandboxOwner(project));
  if (isRefusal(up)) return { type: "failed", error: up.message };
  const problems = await waitForServices(context.env, key, Date.now() + checkWaitMs);
  return problems.length === 0
    ? { type: "checked" }
    : { type: "failed", error: `The project could not become live. ${problems.join("\n")}` };
}

const lookEveryMs = 250;
/** The only problem that is reported if the sandbox does not run. */
const sandboxStopped = "The sandbox stopped.";
/**
 * If a service has restarted this often without responding, waiting for it ends, and the agent is
 * to fix it.
 */
const restartsGivenUp = 3;

/**
 * Waits until every service of a Deploy's sandbox responds. Returns one sentence for each service
 * that does not, with the end of its log.
 */
export async function waitForServices(
  env: Pick<Env, "SANDBOX" | "JURISDICTION">,
  key: string,
  until: number,
): Promise<string[]> {
  for (;;) {
    const status: SandboxStatus = await getSandboxObject(env, key).status();
    if (status.state !== "running") return [sandboxStopped];
    const silent = (status.services ?? []).filter(({ answers }) => answers === false);
    if (status.services !== null && silent.length === 0) return [];
    const isHopeless = silent.length > 0 && silent.every(({ run }) => (run?.restarts ?? 0) >= restartsGivenUp);
    if (isHopeless || Date.now() >= until)
      return silent.length === 0
        ? ["The sandbox did not report the state of its services."]
        : silent.map((service) => formatServiceProblem(service, status.layout));
    await scheduler.wait(lookEveryMs);
  }
}
