// The end of a run, as its cron receives it. A run ends once; the first end counts.
import { decided } from "../../rules/decision.ts";
import type { CronDecision, CronState } from "./cron.ts";
import { cancelPlannedFire, countRun } from "./project-pause.ts";
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

/** The end of a run whose object has not responded since its fire. */
const neverOpened = {
  status: "failed",
  error:
    "The run could not be opened: its part of the service did not answer for two minutes. The next fire runs again.",
  errorCode: "deadline",
} as const satisfies Partial<RunStop>;

/**
 * Drops runs that did not open in time. They count as failed. A stop is sent to their objects, in
 * case one received its run after all.
 */
export function cancelUnopenedRuns(
  state: CronState,
  command: { fireId: string; prompt: string; runs: readonly NewRun[] },
  now: number,
): CronDecision<null> {
  const { fireId, prompt } = command;
  const waiting = command.runs.filter(({ runId }) => state.inFlight.some((run) => run.runId === runId && !run.isOpen));
  if (waiting.length === 0) return decided(state, null);
  const { status, error, errorCode } = neverOpened;
  const gone = new Set(waiting.map(({ runId }) => runId));
  const rest: CronState = { ...state, inFlight: state.inFlight.filter(({ runId }) => !gone.has(runId)) };
  const counted = waiting.reduce(
    (current, { projectId }) => countRun(current, { projectId, status, error, isCounted: true }, now),
    rest,
  );
  const ends = waiting.map(
    ({ runId, projectId, projectName, slot, createdAt }): EndedRun => ({
      ...{ runId, projectId, projectName, slot, createdAt, completedAt: now },
      ...{ status, summary: null, error, errorCode },
    }),
  );
  const stop: RunStop = { ...neverOpened, source: "deadline", by: null };
  return decided(counted, null, [
    ...cancelPlannedFire(state, counted),
    ...waiting.map(({ runId }) => ({ type: "stop-run" as const, id: runId, stop })),
    { type: "open-runs", id: fireId, prompt, opens: [], ends },
  ]);
}
