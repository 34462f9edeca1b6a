// The statuses of a cron run, and the sources of a stop (Part 2, "Cron run statuses",
// "Diagnostics").
import type { RunBounds } from "./last-writer.ts";

export const cronRunStatuses = ["running", "succeeded", "failed", "cancelled", "skipped"] as const;
export type CronRunStatus = (typeof cronRunStatuses)[number];

/** `replaced` means that a Deploy made another sandbox live. */
export const runStopSources = [
  "member_stop",
  "host_watch",
  "deadline",
  "replaced",
  "sandbox_abort",
  "runtime_error",
] as const;
export type RunStopSource = (typeof runStopSources)[number];

/** An end of a run that does not come from its agent. */
export interface RunStop {
  status: "failed" | "cancelled";
  error: string | null;
  errorCode: string | null;
  source: RunStopSource | null;
  by: { userId: string; name: string } | null;
}

/** A run that will be opened. */
export interface NewRun {
  runId: string;
  projectId: string;
  projectName: string;
  slot: number | null;
  model: string;
  mainSandboxKey: string;
  /** The Target Branch of the project. */
  branch: string;
  /** The name of the cron when it fired. */
  cronName: string;
  bounds: RunBounds;
  createdAt: number;
}

/**
 * A run that never opened: its fire refused or skipped it, or it was dropped because it did not
 * open in time.
 */
export interface EndedRun {
  runId: string;
  projectId: string;
  projectName: string;
  slot: number | null;
  status: "failed" | "skipped";
  summary: string | null;
  error: string | null;
  errorCode: string | null;
  createdAt: number;
  completedAt: number;
}

/** The outcome of a fire in one project. */
export interface FiredRun {
  runId: string;
  projectId: string;
  status: CronRunStatus | "queued";
}
