// Counts failures and pauses the projects of a cron (Part 2, "Cron and project pausing"): the
// effects of ended runs, edits and members on them.
import { decided } from "../../rules/decision.ts";
import type { CronEffect } from "../../rules/effect.ts";
import { failedRunsBeforePause } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import {
  type Cron,
  type CronChanges,
  type CronDecision,
  type CronProject,
  type CronState,
  checkSchedule,
  createCronProject,
  planAgain,
} from "./cron.ts";
import { findLastRunStatus, withItsLastRun, withLastRun } from "./last-run-status.ts";
import { type CronWriter, getWriterAfter } from "./last-writer.ts";
import type { CronRunStatus } from "./run-status.ts";

export const noProjectsLeft = "No projects left";
export const allProjectsPaused = `Every project was paused after ${failedRunsBeforePause} failed runs in a row. Resume a project, or enable the cron.`;

/** The outcome of a run, as far as it counts. */
export interface RunOutcome {
  projectId: string;
  status: CronRunStatus;
  error: string | null;
  /** False for a run that a Deploy stopped. */
  isCounted: boolean;
}

/** Counts a run for its project. A run of a project that the cron no longer has is ignored. */
export function countRun(state: CronState, outcome: RunOutcome, now: number): CronState {
  const { projectId, status, error, isCounted } = outcome;
  if (!state.projects.some((project) => project.projectId === projectId)) return state;
  const projects = state.projects.map((project) => {
    if (project.projectId !== projectId || status === "skipped") return project;
    const ran = { ...project, lastRunStatus: status, ranAt: now };
    if (status === "succeeded") return { ...ran, failures: 0 };
    if (status !== "failed" || !isCounted) return ran;
    const failures = project.failures + 1;
    const pauses = failures >= failedRunsBeforePause && project.pausedAt === null;
    return { ...ran, failures, ...(pauses ? { pausedAt: now, pausedReason: error } : {}) };
  });
  return withLastRun(disableIfIdle({ ...state, projects }), status);
}

/** The fields in reads of a cron that depend on its projects. */
interface ShownCron extends Pick<Cron, "enabled" | "disabledReason" | "lastRunStatus"> {
  projects: readonly Pick<CronProject, "lastRunStatus">[];
}

/**
 * A cron with its displayed fields derived from the projects that exist. The cron's own object
 * learns of a project's deletion a moment later.
 */
export function toShownCron<Shown extends ShownCron>(cron: Shown): Shown {
  const left = cron.projects.length > 0 ? {} : { enabled: false, disabledReason: noProjectsLeft };
  return { ...cron, ...left, lastRunStatus: findLastRunStatus(cron) };
}

/** Disables a cron that has no project that can run. One that a member paused does not change. */
export function disableIfIdle(state: CronState): CronState {
  const { cron, projects } = state;
  if (projects.length === 0) {
    return { ...state, cron: { ...cron, enabled: false, slot: null, dueAt: null, disabledReason: noProjectsLeft } };
  }
  if (!cron.enabled || projects.some(({ pausedAt }) => pausedAt === null)) return state;
  return { ...state, cron: { ...cron, enabled: false, slot: null, dueAt: null, disabledReason: allProjectsPaused } };
}

/** Cancels the planned fire of a cron that a rule has disabled. */
export function cancelPlannedFire(before: CronState, after: CronState): CronEffect[] {
  return before.cron.slot !== null && after.cron.slot === null ? [{ type: "forget", name: "fire" }] : [];
}

/**
 * Resumes one project. A cron that disabled itself because all projects were paused is enabled
 * again; one that a member paused is not. A project without a pause and failures does not change.
 */
export function resumeProject(
  state: CronState,
  { projectId, zone }: { projectId: string; zone: string },
  now: number,
): CronDecision<null> {
  const { cron, projects } = state;
  if (projects.length === 0) return refuse("BAD_REQUEST", "The cron has no projects left. Edit it to pick other ones.");
  const found = projects.find((project) => project.projectId === projectId);
  if (!found) return refuse("NOT_FOUND", "The cron has no such project.");
  if (cron.disabledReason === null && found.pausedAt === null && found.failures === 0) return decided(state, null);
  const resumed: CronState = {
    ...state,
    projects: projects.map((project) => (project.projectId === projectId ? startedOver(project) : project)),
    cron: { ...cron, updatedAt: now },
  };
  if (cron.disabledReason === null) return decided(resumed, null, [{ type: "index-cron" }]);
  return planned({ ...resumed, cron: { ...resumed.cron, enabled: true, disabledReason: null } }, zone, now);
}

/**
 * Changes a cron. Any change resets the counts and pauses of every project. A request without
 * changes does nothing.
 */
export function updateCron(
  state: CronState,
  { changes, zone, by }: { changes: CronChanges; zone: string; by: CronWriter },
  now: number,
): CronDecision<null> {
  const { enabled: wanted, projects: chosen, ...record } = changes;
  if (Object.values(changes).every((value) => value === undefined)) return decided(state, null);
  const refusal = checkChange(state, { changes, zone }, now);
  if (refusal) return refusal;
  const projects = chosen?.map((one) => keptProject(state.projects, one) ?? createCronProject(one)) ?? state.projects;
  const writtenBy = getWriterAfter(state.cron, changes, by);
  const cron: Cron = { ...state.cron, ...withoutUndefined(record), writtenBy, updatedAt: now };
  const hadNone = state.projects.length === 0 && state.cron.disabledReason !== null;
  const isGivenSome = hadNone && projects.length > 0;
  if (wanted === false) cron.enabled = false;
  else if (wanted === true || isGivenSome) cron.enabled = true;
  if (wanted !== undefined || cron.enabled) cron.disabledReason = null;
  const given: CronState = { ...state, cron, projects: projects.map(startedOver) };
  const changed = chosen === undefined ? given : withItsLastRun(given);
  // A slot that is already due still fires, unless the change affects the slots.
  const keepsSlot = cron.enabled && state.cron.slot !== null && zone === state.cron.zone;
  if (keepsSlot && cron.cronExpression === state.cron.cronExpression) {
    return decided(changed, null, [{ type: "index-cron" }]);
  }
  return planned(changed, zone, now);
}

function checkChange(
  state: CronState,
  { changes, zone }: { changes: CronChanges; zone: string },
  now: number,
): Refusal | null {
  const { cronExpression, projects, enabled: wanted } = changes;
  const left = projects ?? state.projects;
  if (wanted === true && left.length === 0) {
    return refuse("BAD_REQUEST", "The cron has no projects left. Send projectIds with it.");
  }
  return cronExpression === undefined ? null : checkSchedule(cronExpression, zone, now);
}

/** Drops a deleted project. If it was the last one, the cron is disabled. */
export function deleteProject(state: CronState, projectId: string): CronDecision<null> {
  const projects = state.projects.filter((project) => project.projectId !== projectId);
  const stopped = state.inFlight.filter((run) => run.projectId === projectId);
  const stops = stopped.map(({ runId }) => ({ type: "stop-run" as const, id: runId, stop: projectDeleted }));
  if (projects.length === state.projects.length && stops.length === 0) return decided(state, null);
  const dropped = disableIfIdle(withItsLastRun({ ...state, projects }));
  return decided(dropped, null, [...cancelPlannedFire(state, dropped), ...stops, { type: "index-cron" }]);
}

/** The end of a run whose project is deleted. */
export const projectDeleted = {
  status: "failed",
  error: "The project was deleted.",
  errorCode: "project_deleted",
  source: null,
  by: null,
} as const;

function planned(state: CronState, zone: string, now: number): CronDecision<null> {
  const { state: next, effects } = planAgain(state, zone, now);
  return decided(next, null, [...effects, { type: "index-cron" }]);
}

function startedOver(project: CronProject): CronProject {
  return { ...project, failures: 0, pausedAt: null, pausedReason: null };
}

function keptProject(projects: readonly CronProject[], { projectId, name }: Pick<CronProject, "projectId" | "name">) {
  const known = projects.find((project) => project.projectId === projectId);
  return known && { ...known, name };
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
