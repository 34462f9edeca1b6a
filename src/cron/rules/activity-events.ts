// The activity events of crons (Part 2, "Events"): the actions of members on crons, and the ends of
// runs.
import type { Actor } from "../../access/rules/actor.ts";
import { findDoer, type RecordedEvent } from "../../activity/rules/activity.ts";
import type { Cron } from "./cron.ts";
import type { CronRunStatus } from "./run-status.ts";

interface ReportedRun {
  id: string;
  cronId: string;
  cronName: string;
  workspaceId: string;
  projectId: string;
  status: CronRunStatus;
  error: string | null;
}

/**
 * The event of a run that has succeeded or failed; null for any other. The event has the run's id,
 * so that repeats are the same event.
 */
export function toCronRunEvent(run: ReportedRun): RecordedEvent | null {
  const { id, cronId, cronName: subject, workspaceId, projectId, status, error } = run;
  if (status !== "succeeded" && status !== "failed") return null;
  const payload = { cronId, runId: id, ...(status === "failed" ? { error } : {}) };
  const kind = status === "succeeded" ? "cron_run_succeeded" : "cron_run_failed";
  return { id, kind, workspaceId, projectId, sessionId: null, doer: null, subject, payload };
}

/** A member's action on a cron. */
export type CronChange = "created" | "edited" | "paused" | "resumed" | "deleted";

/** The Member Action of a change; null for an actor that represents no member. */
export function toCronActionEvent(
  eventId: string,
  { id: cronId, workspaceId, name: subject }: Pick<Cron, "id" | "workspaceId" | "name">,
  change: CronChange,
  by: Actor,
): RecordedEvent | null {
  const doer = findDoer(by);
  if (doer === null) return null;
  const about = { id: eventId, workspaceId, projectId: null, sessionId: null, doer, subject };
  switch (change) {
    case "created":
      return { ...about, kind: "cron_created", payload: { cronId } };
    case "deleted":
      return { ...about, kind: "cron_deleted", payload: { cronId } };
    default:
      return { ...about, kind: "cron_updated", payload: { cronId, change } };
  }
}

/**
 * The effect of a change as one action. A pause or a resume of the cron takes precedence over an
 * edit. A project that is resumed in a cron that stays as it was is an edit.
 */
export function getCronChange(before: Pick<Cron, "enabled">, wanted: boolean | undefined): CronChange {
  if (wanted === undefined || wanted === before.enabled) return "edited";
  return wanted ? "resumed" : "paused";
}
