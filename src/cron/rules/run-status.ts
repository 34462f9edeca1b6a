// The statuses of a cron run, and what may stop one (Part 2, "Cron run statuses", "Diagnostics").

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
