// The end of a run, as its cron hears of it. A run ends once: of two ends the first one stands.
import { decided } from "../decision.ts";
import type { CronDecision, CronState } from "./cron.ts";
import { countRun, settleFire } from "./pauses.ts";
import type { CronRunStatus } from "./run-status.ts";

export interface RunEnded {
  runId: string;
  status: Exclude<CronRunStatus, "running" | "skipped">;
  error: string | null;
  /** False for one that a Deploy, or the deletion of its project, stopped. */
  isCounted: boolean;
}

/** Notes that runs have opened. */
export function runsOpened(state: CronState, runIds: readonly string[]): CronDecision<null> {
  const inFlight = state.inFlight.map((run) => (runIds.includes(run.runId) ? { ...run, isOpen: true } : run));
  return decided({ ...state, inFlight }, null);
}

/** Counts a run that has ended. One that the cron does not know any more counts for nothing. */
export function runEnded(state: CronState, ended: RunEnded, now: number): CronDecision<null> {
  const run = state.inFlight.find(({ runId }) => runId === ended.runId);
  if (!run) return decided(state, null);
  const rest = { ...state, inFlight: state.inFlight.filter((one) => one !== run) };
  const counted = countRun(rest, { ...ended, projectId: run.projectId }, now);
  return decided(counted, null, [...settleFire(state, counted), { type: "index-cron" }]);
}
