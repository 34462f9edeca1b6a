// The states of crons and of their runs, in words and as marks.
import type { Schemas } from "@switchyard/client";
import type { Mark } from "../ui/state-mark.tsx";
import { formatDuration } from "../ui/time.tsx";
import { describeSchedule } from "./schedule.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

type RunStatus = Schemas["CronRunStatus"];
type Run = Schemas["CronRun"];

const marks: Record<RunStatus, Mark> = {
  running: "running",
  succeeded: "done",
  failed: "failed",
  cancelled: "stopped",
  skipped: "skipped",
};

export const markRun = (status: RunStatus): Mark => marks[status];

/** The background of a run that was just fired. */
export function tintMark(mark: Mark): string {
  if (mark === "failed") return "bg-red-tint";
  return mark === "starting" || mark === "running" ? "bg-accent-tint" : "bg-sunk";
}

/** The schedule of a cron: `Every weekday at 09:00, Europe/Berlin`. */
export function formatSchedule({ cronExpression, timezone }: Pick<Schemas["Cron"], "cronExpression" | "timezone">) {
  return `${describeSchedule(cronExpression) ?? cronExpression}, ${timezone}`;
}

/**
 * A point in time where a cron lives: `Mon 30 Nov, 09:00`, and with its year if that is not the
 * present one.
 */
export function formatSlot(at: string, timeZone: string, now = Date.now()): string {
  const yearOf = (time: number | Date) => new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric" }).format(time);
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    ...(yearOf(new Date(at)) === yearOf(now) ? {} : { year: "numeric" }),
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(new Date(at));
}

/** How long it is until a fire: `in 25 min`, `in 35 h 59 min`, and from 36 hours on `in 2 days`. */
export function formatWait(ms: number): string {
  if (ms < minuteMs) return "now";
  const days = ms / dayMs;
  return days >= 1.5 ? `in ${Math.round(days)} days` : `in ${formatDuration(Math.floor(ms / minuteMs) * minuteMs)}`;
}

/** The first line of a Reply without the signs of Markdown that it may have. */
export const formatSummary = (line: string): string => line.replace(/\*\*|`|^#+ /g, "");

const turnStatuses: Record<RunStatus, Schemas["JobStatus"]> = {
  running: "running",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  skipped: "cancelled",
};

/** A run as the turn of a conversation that it is. Why it failed is said above the transcript. */
export function toJob({ id, status, createdAt, startedAt, completedAt }: Omit<Run, "filedSessions">) {
  const nothing = { errorCode: null, usage: null, result: null, boot: null };
  const job: Schemas["Job"] = {
    ...{
      id,
      jobNumber: 1,
      status: turnStatuses[status],
      error: status === "failed" ? "The run failed." : null,
      createdAt,
      startedAt,
      completedAt,
    },
    ...nothing,
  };
  return job;
}

type StopSource = NonNullable<Schemas["CronRunDiagnostics"]["stopSource"]>;

const stopSources: Record<StopSource, string> = {
  member_stop: "A person stopped it.",
  host_watch: "Its sandbox was lost.",
  deadline: "It reached its time limit.",
  replaced: "A Deploy replaced the main sandbox.",
  sandbox_abort: "Its sandbox ended it.",
  runtime_error: "The agent ended with an error.",
};

/** What ended a run, where that was not its agent's success. */
export const describeStop = (source: StopSource): string => stopSources[source] ?? source;

/** What a person can do about a run that failed, by its error code; null where no step is known. */
export function adviseRun(errorCode: string | null): string | null {
  switch (errorCode) {
    case "not_deployed":
      return "Deploy the project first: a cron reads its main sandbox.";
    case "no_credentials":
      return "Ask an admin to connect a provider in the workspace: a cron runs on the workspace's credentials.";
    case "model_unavailable":
      return "Choose another model for the cron, or connect the provider of this one in the workspace.";
    case "credit_limit_reached":
      return "Ask an admin to raise the limit of the workspace.";
    case "main_replaced":
      return "Nothing is wrong with the cron. Run it again, or wait for its next fire.";
    case "deadline":
      return "Ask for less in one run: it may take 60 minutes.";
    case "sandbox_lost":
      return "Run it again. If it is lost again, look at the main sandbox of the project.";
    default:
      return null;
  }
}
