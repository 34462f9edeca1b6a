// A cron: a saved prompt that is sent to projects of its workspace on a schedule (Part 2, "Cron").
// Its object stores what the rules need: the record, its projects, its runs in flight and the next
// slot.
import { type Decision, decided } from "../../rules/decision.ts";
import type { CronEffect } from "../../rules/effect.ts";
import { cronsPerWorkspace } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { CronWriter } from "./last-writer.ts";
import { getNextFire, getSpreadMs } from "./next-fire.ts";
import type { CronRunStatus } from "./run-status.ts";
import { readSchedule, type Schedule } from "./schedule.ts";
import { checkFloor } from "./shortest-interval.ts";

export interface Cron {
  id: string;
  workspaceId: string;
  name: string;
  prompt: string;
  cronExpression: string;
  /** Null means that each run uses the default model of the workspace. */
  model: string | null;
  /** The user id of its creator. */
  createdBy: string;
  /** The last writer. */
  writtenBy: CronWriter;
  enabled: boolean;
  /**
   * The reason why the cron disabled itself; null while it is enabled, and if a member paused it.
   */
  disabledReason: string | null;
  /** The next slot, planned in `zone`; null while the cron is disabled. */
  slot: number | null;
  zone: string;
  /** The time of its alarm: the slot plus the spread. */
  dueAt: number | null;
  lastRunAt: number | null;
  /** The status of the latest run in any project, ignoring skipped runs. */
  lastRunStatus: CronRunStatus | null;
  createdAt: number;
  updatedAt: number;
}

export interface CronProject {
  projectId: string;
  /** The project's name when the cron last fired or was changed. */
  name: string;
  /** The number of consecutive failed runs. */
  failures: number;
  pausedAt: number | null;
  /** The error of the run that paused it. */
  pausedReason: string | null;
  /** The status of the latest run, ignoring skipped runs. */
  lastRunStatus: CronRunStatus | null;
  /** The time of that status; missing before the first run. */
  ranAt?: number;
}

/** A run that was decided and has not ended. A cron has at most one per project. */
export interface RunInFlight {
  runId: string;
  projectId: string;
  /** False from the decision until the run's object has received it. */
  isOpen: boolean;
  createdAt: number;
}

export interface CronState {
  cron: Cron;
  projects: CronProject[];
  inFlight: RunInFlight[];
}

/** The state is null for a cron that does not exist or is deleted. */
export type CronDecision<Result> = Decision<CronState | null, Result, CronEffect>;

/** The fields of a cron that a member writes. */
export interface CronDraft {
  name: string;
  prompt: string;
  cronExpression: string;
  model: string | null;
  projects: Pick<CronProject, "projectId" | "name">[];
}

export interface NewCron extends CronDraft {
  id: string;
  workspaceId: string;
  createdBy: string;
  writtenBy: CronWriter;
  /** The Workspace Timezone. */
  zone: string;
}

/**
 * Changes of a cron. Only the fields that are set change; `project-pause.ts` has the rules of
 * `enabled` and of resuming a project.
 */
export type CronChanges = Partial<CronDraft> & { enabled?: boolean };

/** Parses a schedule. Refuses one that would fire more often than the floor allows in the zone. */
export function checkSchedule(cronExpression: string, zone: string, now: number): Refusal | null {
  const schedule = readSchedule(cronExpression);
  return "code" in schedule ? schedule : checkFloor(schedule, zone, now);
}

/** The parsed schedule of a cron. Throws for a schedule that was not checked. */
export function getSchedule({ cronExpression }: Pick<Cron, "cronExpression">): Schedule {
  const schedule = readSchedule(cronExpression);
  if ("code" in schedule) throw new Error(schedule.message);
  return schedule;
}

/**
 * The refusal for a workspace that has the maximum number of crons. The write does the counting.
 */
export const tooManyCrons = refuse(
  "BAD_REQUEST",
  `A workspace has ${cronsPerWorkspace} crons at most. Delete one first.`,
);

/**
 * Creates an enabled cron. A repeat returns the same result. Its rows are written before, so that
 * the limit of the workspace is enforced.
 */
export function createCron(state: CronState | null, command: NewCron, now: number): CronDecision<null> {
  if (state !== null) return decided(state, null);
  const { projects, ...draft } = command;
  const refusal = checkSchedule(draft.cronExpression, draft.zone, now);
  if (refusal) return refusal;
  const cron: Cron = {
    ...draft,
    enabled: true,
    disabledReason: null,
    slot: null,
    dueAt: null,
    lastRunAt: null,
    lastRunStatus: null,
    createdAt: now,
    updatedAt: now,
  };
  const created: CronState = { cron, projects: projects.map(createCronProject), inFlight: [] };
  const { state: planned, effects } = plan(created, draft.zone, now);
  return decided(planned, null, effects);
}

export function createCronProject({ projectId, name }: Pick<CronProject, "projectId" | "name">): CronProject {
  return { projectId, name, failures: 0, pausedAt: null, pausedReason: null, lastRunStatus: null };
}

/** Plans the next slot after a time. A disabled cron gets none. */
export function plan(state: CronState, zone: string, after: number): { state: CronState; effects: CronEffect[] } {
  const { cron } = state;
  if (!cron.enabled) {
    const idle = { ...state, cron: { ...cron, slot: null, dueAt: null, zone } };
    return { state: idle, effects: [{ type: "forget", name: "fire" }] };
  }
  const slot = getNextFire(getSchedule(cron), zone, after);
  const dueAt = slot + getSpreadMs(cron.id);
  return {
    state: { ...state, cron: { ...cron, slot, dueAt, zone } },
    effects: [{ type: "remind", name: "fire", at: dueAt }],
  };
}

/**
 * Plans again because the zone of the workspace changed (decisions, "Crons"). Refuses a zone in
 * which the schedule breaks the floor.
 */
export function updateZone(state: CronState, zone: string, now: number): CronDecision<null> {
  if (state.cron.zone === zone) return decided(state, null);
  const planned = planAgain(state, zone, now);
  return decided(planned.state, null, [...planned.effects, { type: "index-cron" }]);
}

/** Plans again after a change. A slot that is already due still fires if it is one in the zone. */
export function planAgain(state: CronState, zone: string, now: number): { state: CronState; effects: CronEffect[] } {
  const { enabled, slot } = state.cron;
  const isDue = enabled && slot !== null && slot <= now;
  if (!isDue || getNextFire(getSchedule(state.cron), zone, slot - 1) !== slot) return plan(state, zone, now);
  return { state: { ...state, cron: { ...state.cron, zone } }, effects: [] };
}

export const noCron = refuse("NOT_FOUND", "There is no such cron.");

const cronDeleted = {
  status: "cancelled",
  error: null,
  errorCode: null,
  source: "member_stop",
  by: null,
} as const;

/**
 * Deletes a cron (Part 2, "Crons"): its runs are stopped, and everything else is deleted after the
 * response. Refuses CRON_RUN_STARTING from the decision of a run until the run's object confirms
 * it.
 */
export function deleteCron({ cron, inFlight }: CronState): CronDecision<null> {
  if (inFlight.some(({ isOpen }) => !isOpen)) return refuse("CRON_RUN_STARTING");
  return decided(null, null, [
    { type: "forget", name: "fire" },
    ...inFlight.map(({ runId }) => ({ type: "stop-run" as const, id: runId, stop: cronDeleted })),
    { type: "forget-cron", cronId: cron.id, workspaceId: cron.workspaceId },
    { type: "delete-runs", cronId: cron.id, stopped: inFlight.map(({ runId }) => runId) },
  ]);
}
