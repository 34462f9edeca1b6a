// The statuses of a cron run, and what may stop one (Part 2, "Cron run statuses", "Diagnostics").
import type { RunBounds } from "./writer.ts";

export const cronRunStatuses = ["running", "succeeded", "failed", "cancelled", "skipped"] as const;
export type CronRunStatus = (typeof cronRunStatuses)[number];

/** `replaced`: a Deploy made another sandbox live. */
export const runStopSources = [
  "member_stop",
  "host_watch",
  "deadline",
  "replaced",
  "sandbox_abort",
  "runtime_error",
] as const;
export type RunStopSource = (typeof runStopSources)[number];

/** Why a run is ended by something else than its agent. */
export interface RunStop {
  status: "failed" | "cancelled";
  error: string | null;
  errorCode: string | null;
  source: RunStopSource | null;
  by: { userId: string; name: string } | null;
}

// The runs of a fire: those that open, and those that ended with it.

/** A run that is to be opened. */
export interface NewRun {
  runId: string;
  projectId: string;
  projectName: string;
  slot: number | null;
  model: string;
  mainSandboxKey: string;
  /** The Target Branch of the project. */
  branch: string;
  /** The name of the cron when it fired. Fires of earlier versions have neither this nor bounds. */
  cronName?: string;
  bounds?: RunBounds;
  createdAt: number;
}

/** A run that never opened: it was refused or skipped by its fire, or given up. */
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

/** What became of a fire in one project. */
export interface FiredRun {
  runId: string;
  projectId: string;
  status: CronRunStatus | "queued";
}
