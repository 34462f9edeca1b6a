// The status of a cron's latest run, from the latest run of each of its projects (Part 2, "Cron").
import type { Cron, CronProject, CronState } from "./cron.ts";
import type { CronRunStatus } from "./run-status.ts";

/** The cron with the status of its latest run: `failed` if the latest run in any project failed. */
export function withLastRun(state: CronState, status: CronRunStatus): CronState {
  if (status === "skipped") return state;
  const hasFailed = state.projects.some(({ lastRunStatus }) => lastRunStatus === "failed");
  return { ...state, cron: { ...state.cron, lastRunStatus: hasFailed ? "failed" : status } };
}

/** The cron with the status of the latest run in its current projects. */
export function withItsLastRun(state: CronState): CronState {
  const [latest] = state.projects.toSorted((one, other) => (other.ranAt ?? 0) - (one.ranAt ?? 0));
  const lastRunStatus = latest?.lastRunStatus ?? null;
  return { ...state, cron: { ...state.cron, lastRunStatus: findLastRunStatus({ ...state, lastRunStatus }) } };
}

/**
 * `failed` if the latest run in any project failed. Otherwise the status of the latest run, if one
 * of these projects had it.
 */
export function findLastRunStatus({
  lastRunStatus,
  projects,
}: Pick<Cron, "lastRunStatus"> & { projects: readonly Pick<CronProject, "lastRunStatus">[] }): CronRunStatus | null {
  const statuses = projects.flatMap((project) => project.lastRunStatus ?? []);
  if (statuses.includes("failed")) return "failed";
  return statuses.find((status) => status === lastRunStatus) ?? statuses[0] ?? null;
}
