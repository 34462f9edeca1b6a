// The end of a run, as its cron receives it. A run ends once; the first end counts.
import { decided } from "../../rules/decision.ts";
import type { CronDecision, CronState } from "./cron.ts";
import { cancelPlannedFire, countRun, projectDeleted } from "./project-pause.ts";
import type { CronRunStatus, EndedRun, NewRun, RunStop } from "./run-status.ts";

export interface RunEnded {
  runId: string;
  status: Exclude<CronRunStatus, "running" | "skipped">;
  error: string | null;
  /** False for a run that was stopped by a Deploy or by the deletion of its project. */
  isCounted: boolean;
}

/** False for a stop by a Deploy, or by the deletion of the project: it is no failure of the run. */
export function isCountedStop({ source, errorCode }: Pick<RunStop, "source" | "errorCode">): boolean {
  return source !== "replaced" && errorCode !== "project_deleted";
}

/** Records that runs have opened. */
export function recordOpenedRuns(state: CronState, runIds: readonly string[]): CronDecision<null> {
  return decided(withOpened(state, runIds), null);
}

/** The cron after runs have opened. */
export function withOpened(state: CronState, runIds: readonly string[]): CronState {
  const inFlight = state.inFlight.map((run) => (runIds.includes(run.runId) ? { ...run, isOpen: true } : run));
  return { ...state, inFlight };
}

/**
 * Counts a run that has ended. Ignores a run that the cron no longer knows. The caller writes the
 * index.
 */
export function recordRunEnd(state: CronState, ended: RunEnded, now: number): CronDecision<null> {
  const run = state.inFlight.find(({ runId }) => runId === ended.runId);
  if (!run) return decided(state, null);
  const rest = { ...state, inFlight: state.inFlight.filter((one) => one !== run) };
  const counted = countRun(rest, { ...ended, projectId: run.projectId }, now);
  return decided(counted, null, cancelPlannedFire(state, counted));
}

const unopenedEnds = {
  /** Its object has not responded since its fire. */
  silent: {
    status: "failed",
    error:
      "The run could not be opened: its part of the service did not answer for two minutes. The next fire runs again.",
    errorCode: "deadline",
    source: "deadline",
    by: null,
  },
  /** Its object was stopped first. Only the deletion of a project stops runs that are not open. */
  stopped: projectDeleted,
} as const satisfies Record<string, RunStop>;

/**
 * Drops runs that did not open. Those that were not stopped count as failed. A stop is sent to
 * their objects, in case one received its run after all.
 */
export function cancelUnopenedRuns(
  state: CronState,
  command: { fireId: string; prompt: string; runs: readonly NewRun[]; cause: keyof typeof unopenedEnds },
  now: number,
): CronDecision<null> {
  const { fireId, prompt } = command;
  const waiting = command.runs.filter(({ runId }) => state.inFlight.some((run) => run.runId === runId && !run.isOpen));
  if (waiting.length === 0) return decided(state, null);
  const stop = unopenedEnds[command.cause];
  const { status, error, errorCode } = stop;
  const isCounted = isCountedStop(stop);
  const gone = new Set(waiting.map(({ runId }) => runId));
  const rest: CronState = { ...state, inFlight: state.inFlight.filter(({ runId }) => !gone.has(runId)) };
  const counted = waiting.reduce(
    (current, { projectId }) => countRun(current, { projectId, status, error, isCounted }, now),
    rest,
  );
  const ends = waiting.map(
    ({ runId, projectId, projectName, slot, createdAt }): EndedRun => ({
      ...{ runId, projectId, projectName, slot, createdAt, completedAt: now },
      ...{ status, summary: null, error, errorCode },
    }),
  );
  return decided(counted, null, [
    ...cancelPlannedFire(state, counted),
    ...waiting.map(({ runId }) => ({ type: "stop-run" as const, id: runId, stop })),
    { type: "open-runs", id: fireId, prompt, opens: [], ends },
  ]);
}
