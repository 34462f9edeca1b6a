// The warm pool of a project, maintained by its object: spares that do not fit are ended, and
// missing ones are brought up.
import { createCodeHost } from "../../../src/code-host/code-host.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import {
  countWantedSpares,
  planPool,
  recordSpareTried,
  resetFailures,
  toWarmPool,
} from "../../../src/deploy/rules/spare-pool.ts";
import type { Env } from "../../../src/env.ts";
import { createName } from "../../../src/lib/ids.ts";
import { log } from "../../../src/lib/log.ts";
import { findProject, type Project } from "../../../src/project/queries.ts";
import { decided } from "../../../src/rules/decision.ts";
import { sandboxKeyCharacters } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { deleteSpare, findPool, finishSpare, listSpareKeys, startSpare } from "../../../src/sandbox/queries/spares.ts";
import { getSpareSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { createSandboxKey } from "../../../src/sandbox/rules/sandbox-key.ts";
import { getSandboxObject } from "../../address.ts";
import type { ProjectContext } from "../context.ts";
import { waitForServices } from "./phases.ts";

/** The time in which the services of a spare must respond. */
const healthWaitMs = 100_000;

/** Records that a session has started: the pool stays warm, and its spare is replaced. */
export function recordSessionStart({ decide }: ProjectContext): void {
  decide((state, now) => decided({ ...state, pool: toWarmPool(state.pool, now) }, null, [{ type: "tend-pool" }]));
}

/** Records that a spare was returned. It is ended if another has been made in its place. */
export function recordSpareReturn({ decide }: ProjectContext): void {
  decide((state) => decided(state, null, [{ type: "tend-pool" }]));
}

/** Records that the project's settings have changed. */
export function recordSettingsChange({ decide }: ProjectContext): void {
  decide((state) => decided({ ...state, pool: resetFailures(state.pool) }, null, [{ type: "tend-pool" }]));
}

/**
 * Brings spares up and ends others until the pool has its wanted size. Safe to repeat; runs one at
 * a time.
 */
export function updatePool(context: ProjectContext): Promise<void> {
  return context.withLock("pool", () => tend(context));
}

async function tend(context: ProjectContext): Promise<void> {
  const { env, store, decide } = context;
  for (;;) {
    const state = store.find();
    if (!state) return;
    const place = { projectId: state.id, program: env.SANDBOX_PROGRAM };
    const [project, found] = await Promise.all([findProject(env.DB, state.id), findPool(env.DB, place)]);
    if (!project || !found) return;
    const wanted = countWantedSpares(state.pool, found, Date.now());
    const head = found.spares.length + wanted === 0 ? null : await targetHead(context, project);
    const spares = found.spares.map(({ commit, ...spare }) => ({
      ...spare,
      fits: spare.fits && (commit === null || head === null || commit === head),
    }));
    const work = planPool(spares, wanted);
    await Promise.all(work.ends.map((key) => endSpare(context.env, key)));
    const [next = work.makes > 0 ? createSandboxKey("session", createName(sandboxKeyCharacters)) : null] = work.goesOn;
    remindAtEnd(context, state);
    if (next === null) return;
    if (
      work.goesOn.length === 0 &&
      !(await startSpare(env.DB, { ...place, sandboxKey: next, commit: head, now: Date.now() }))
    )
      return;
    const problem = await createSpare(context, project, next);
    decide((current, now) => recordSpareTried(current, problem, now));
  }
}

/**
 * Brings up a spare with only the project's settings. Returns what failed; null if the spare is
 * ready.
 */
async function createSpare(context: ProjectContext, project: Project, key: string): Promise<string | null> {
  const { env } = context;
  const problem = await bringUpSpare(context, project, key).catch((error: unknown) => {
    log.warn("spare.start_failed", { sandboxKey: key, error });
    return "The sandbox could not be started.";
  });
  if (problem === null && (await finishSpare(env.DB, key, env.SANDBOX_PROGRAM))) return null;
  await endSpare(context.env, key);
  // It is not a failure if the spare is no longer wanted.
  return problem;
}

async function bringUpSpare({ env }: ProjectContext, project: Project, key: string): Promise<string | null> {
  const up = await getSandboxObject(env, key).bringUp(getSpareSandboxOwner(project, key));
  if (isRefusal(up)) return up.message;
  const problems = await waitForServices(env, key, Date.now() + healthWaitMs);
  return problems.length === 0 ? null : problems.join("\n");
}

/** Ends a spare, unless a session has claimed it. */
async function endSpare(env: Env, key: string): Promise<void> {
  if (await deleteSpare(env.DB, key)) await getSandboxObject(env, key).destroy();
}

/** Ends all spares of a deleted project. */
export async function endSpares(env: Env, projectId: string): Promise<void> {
  for (const key of await listSpareKeys(env.DB, projectId)) await endSpare(env, key);
}

/** Sets a reminder to maintain the pool when its warm time is over. */
function remindAtEnd({ shell }: ProjectContext, { pool: { warmUntil } }: ProjectState): void {
  if (warmUntil !== null && warmUntil > Date.now()) shell.remindBy("tend-pool", warmUntil);
}

/** The newest commit of the Target Branch; null if the code host does not return it. */
async function targetHead({ env }: ProjectContext, project: Project): Promise<string | null> {
  const head = await createCodeHost(env, project).readBranchHead(project.repository, project.targetBranch);
  return isRefusal(head) ? null : head;
}
