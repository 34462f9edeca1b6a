// The events of crons and their runs, for webhooks.
import type { Actor } from "../../access/rules/actor.ts";
import { findDoer } from "../../activity/rules/activity.ts";
import type { CronChange } from "../../cron/rules/activity-events.ts";
import type { CronRunStatus } from "../../cron/rules/run-status.ts";
import type { WebhookEvent } from "./event.ts";

/** The event of a change of a cron. `id` is also that of the Member Action. */
export function toCronWebhookEvent(
  id: string,
  { id: cronId, workspaceId, name }: { id: string; workspaceId: string; name: string },
  change: CronChange,
  by: Actor,
  now: number,
): WebhookEvent {
  const about = { id, at: now, workspaceId, projectId: null, by: findDoer(by), text: { title: name } };
  if (change === "created") return { ...about, type: "cron.created", data: { cronId } };
  if (change === "deleted") return { ...about, type: "cron.deleted", data: { cronId } };
  return { ...about, type: "cron.updated", data: { cronId, change } };
}

/** The event of a run that is over. It has the run's id, so that repeats are the same event. */
export function toRunWebhookEvent(run: {
  id: string;
  cronId: string;
  workspaceId: string;
  projectId: string;
  status: CronRunStatus;
  error: string | null;
  errorCode: string | null;
  completedAt: number | null;
}): WebhookEvent {
  const { id, cronId, workspaceId, projectId, status, error, errorCode, completedAt } = run;
  return {
    ...{ id, type: toType(status), at: completedAt ?? Date.now(), workspaceId, projectId, by: null },
    data: { cronId, runId: id, status, ...(status === "failed" && { errorCode }) },
    text: error === null ? {} : { error },
  };
}

function toType(status: CronRunStatus): WebhookEvent["type"] {
  switch (status) {
    case "failed":
      return "cron_run.failed";
    case "cancelled":
      return "cron_run.cancelled";
    case "skipped":
      return "cron_run.skipped";
    default:
      return "cron_run.succeeded";
  }
}
