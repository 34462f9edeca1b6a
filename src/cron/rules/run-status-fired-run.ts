// The runs of a fire: those that open, and those that ended with it.
import type { CronRunStatus } from "./run-status.ts";
import type { RunBounds } from "./writer.ts";

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
