// A cron: a saved prompt that is sent to projects of its workspace on a schedule (Part 2, "Cron").
// Its object keeps what its rules need: the record, its projects, its runs in flight and the next
// slot.
import { type Decision, decided } from "../../rules/decision.ts";
import type { CronEffect } from "../../rules/effect.ts";
import { cronsPerWorkspace } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { CronRunStatus } from "./run-status.ts";
import { readSchedule, type Schedule } from "./schedule.ts";
import { checkFloor } from "./shortest-interval.ts";
import { nextFire, spreadMs } from "./slots.ts";
import type { CronWriter } from "./writer.ts";

export interface Cron {
  id: string;
  workspaceId: string;
  name: string;
  prompt: string;
  cronExpression: string;
  /** Null lets each run take the default of the workspace. */
  model: string | null;
  /** The user id of its creator. */
  createdBy: string;
  /** Who wrote it last; crons of earlier versions have none, which means their creator. */
  writtenBy?: CronWriter | undefined;
  enabled: boolean;
  /** Why it disabled itself; null while it is enabled, and when a member paused it. */
  disabledReason: string | null;
  /** The next slot, which was planned in `zone`; null while it is disabled. */
  slot: number | null;
  zone: string;
  /** When its alarm is to come: behind the slot, by the spread. */
  dueAt: number | null;
  lastRunAt: number | null;
  /** Of the latest run in any project; skipped ones are passed over. */
  lastRunStatus: CronRunStatus | null;
  createdAt: number;
  updatedAt: number;
}

export interface CronProject {
  projectId: string;
  /** Its name when the cron last fired or was changed. */
  name: string;
  /** Failed runs in a row. */
  failures: number;
  pausedAt: number | null;
  /** The error of the run that paused it. */
  pausedReason: string | null;
  /** Skipped runs are passed over. */
  lastRunStatus: CronRunStatus | null;
  /** When that status came; absent in crons of earlier versions. */
  ranAt?: number;
}

/** A run that was decided and has not ended. A cron has at most one in each project. */
export interface RunInFlight {
  runId: string;
  projectId: string;
  /** False from the decision until its object has it. */
  isOpen: boolean;
  createdAt: number;
}

export interface CronState {
  cron: Cron;
  projects: CronProject[];
  inFlight: RunInFlight[];
}

/** Null for a cron that does not exist, or is deleted. */
export type CronDecision<Answer> = Decision<CronState | null, Answer, CronEffect>;

/** What a member writes of a cron. */
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
 * Changes of a cron. Only those that are set are made; `resume` and `enabled` are in `backoff.ts`.
 */
export type CronChanges = Partial<CronDraft> & { enabled?: boolean };

/** Reads a schedule, and refuses one that breaks the floor in a zone. */
export function checkSchedule(cronExpression: string, zone: string, now: number): Refusal | null {
  const schedule = readSchedule(cronExpression);
  return "code" in schedule ? schedule : checkFloor(schedule, zone, now);
}

/** The schedule of a cron. Throws for one that was not checked. */
export function scheduleOf({ cronExpression }: Pick<Cron, "cronExpression">): Schedule {
  const schedule = readSchedule(cronExpression);
  if ("code" in schedule) throw new Error(schedule.message);
  return schedule;
}

/** Refuses a workspace that is full. It is the write that counts. */
export const tooManyCrons = refuse("BAD_REQUEST", `A workspace holds ${cronsPerWorkspace} crons. Delete one first.`);

/**
 * Creates a cron, enabled. A repeat answers the same. Its rows are written before, so that the
 * limit of the workspace holds.
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
  const created: CronState = { cron, projects: projects.map(newProject), inFlight: [] };
  const { state: planned, effects } = plan(created, draft.zone, now);
  return decided(planned, null, effects);
}

export function newProject({ projectId, name }: Pick<CronProject, "projectId" | "name">): CronProject {
  return { projectId, name, failures: 0, pausedAt: null, pausedReason: null, lastRunStatus: null };
}

/** Plans the next slot after a time; none while the cron is disabled. */
export function plan(state: CronState, zone: string, after: number): { state: CronState; effects: CronEffect[] } {
  const { cron } = state;
  if (!cron.enabled) {
    const idle = { ...state, cron: { ...cron, slot: null, dueAt: null, zone } };
    return { state: idle, effects: [{ type: "forget", name: "fire" }] };
  }
  const slot = nextFire(scheduleOf(cron), zone, after);
  const dueAt = slot + spreadMs(cron.id);
  return {
    state: { ...state, cron: { ...cron, slot, dueAt, zone } },
    effects: [{ type: "remind", name: "fire", at: dueAt }],
  };
}

/**
 * Plans anew because the zone of the workspace changed (decisions, "Crons"). Refuses a zone that
 * breaks the floor.
 */
export function changeZone(state: CronState, zone: string, now: number): CronDecision<null> {
  if (state.cron.zone === zone) return decided(state, null);
  const planned = plan(state, zone, now);
  return decided(planned.state, null, [...planned.effects, { type: "index-cron" }]);
}

export const noCron = refuse("NOT_FOUND", "There is no such cron.");

// The deletion of a cron (Part 2, "Crons"): its runs are stopped, and everything else goes behind
// the answer.

const cronDeleted = {
  status: "cancelled",
  error: null,
  errorCode: null,
  source: "member_stop",
  by: null,
} as const;

/**
 * Deletes a cron. Refuses CRON_RUN_STARTING between the decision of a run and the word of its
 * object.
 */
export function deleteCron({ cron, inFlight }: CronState): CronDecision<null> {
  if (inFlight.some(({ isOpen }) => !isOpen)) return refuse("CRON_RUN_STARTING");
  return decided(null, null, [
    { type: "forget", name: "fire" },
    ...inFlight.map(({ runId }) => ({ type: "stop-run" as const, runId, stop: cronDeleted })),
    { type: "forget-cron", cronId: cron.id },
    { type: "delete-runs", cronId: cron.id, stopped: inFlight.map(({ runId }) => runId) },
  ]);
}
