// Activity events: what members did, and what the service observed (Part 2, "Events"). Each noun
// decides when its events are recorded, and which of them only once a day, in its own file:
// `session/rules/activity-events.ts`, `cron/rules/activity-events.ts` and
// `workspace/rules/activity-events.ts`.
import { type Actor, findUser } from "../../access/rules/actor.ts";

/** Events that the service observed. They have no actor. */
export const changeKinds = [
  "job_awaiting_response",
  "pr_checks_failed",
  "pr_checks_passed",
  "pr_merged",
  "branch_behind",
  "pr_stale",
  "cron_run_succeeded",
  "cron_run_failed",
] as const;

/** Actions of members. */
export const memberActionKinds = [
  "session_started",
  "session_message_sent",
  "session_archived",
  "session_deleted",
  "session_assigned",
  "session_status_changed",
  "session_priority_changed",
  "cron_created",
  "cron_updated",
  "cron_deleted",
  "member_invited",
  "member_removed",
  "member_role_changed",
] as const;

export const activityKinds = [...changeKinds, ...memberActionKinds] as const;
export type ChangeKind = (typeof changeKinds)[number];
export type MemberActionKind = (typeof memberActionKinds)[number];
export type ActivityKind = (typeof activityKinds)[number];

/** Events that the service observed and notifies people about, but does not list in the feed. */
const unlistedKinds = ["job_failed"] as const;
export type UnlistedKind = (typeof unlistedKinds)[number];

/** For the totals of the feed, events are counted by hour and by day. */
export const activityCountMs = 60 * 60_000;
export const hoursOfDay = 24;

/** The agent that acted for a member. */
export type ActivitySource =
  | { kind: "lead" }
  /** The name that its program has given. Events of earlier versions lack it. */
  | { kind: "mcp"; client?: string | null }
  | { kind: "session"; sessionId: string }
  | { kind: "cron"; cronId: string; runId: string };

/**
 * The member who did something, and the agent that did it for them. `source` is null if the member
 * did it personally.
 */
export interface Doer {
  userId: string;
  source: ActivitySource | null;
}

export interface ActivityEvent {
  kind: ActivityKind;
  workspaceId: string;
  /** Null for an event of the workspace itself. */
  projectId: string | null;
  sessionId: string | null;
  /** Null for an event that the service observed. */
  doer: Doer | null;
  /** The title of the session or the name of the cron at that time; null for other events. */
  subject: string | null;
  payload: Record<string, unknown>;
  /**
   * The event is dropped if another one with the same text was recorded before; null for an event
   * that is always recorded.
   */
  once: string | null;
}

/** Any event, whether the feed lists it or not. */
export type HappenedEvent = Omit<ActivityEvent, "kind"> & { kind: ActivityKind | UnlistedKind };

/** True for an event that the feed lists. */
export function isListed<Event extends { kind: ActivityKind | UnlistedKind }>(
  event: Event,
): event is Event & { kind: ActivityKind } {
  return !unlistedKinds.some((kind) => kind === event.kind);
}

/** An event to be recorded. The id makes its write idempotent. */
export interface RecordedEvent extends Omit<ActivityEvent, "once"> {
  id: string;
  /** Of all events with the same text, only the first one is stored. */
  once?: string | null;
}

/**
 * The member of an actor. Null for an actor without a member, whose actions are not Member Actions.
 */
export function findDoer(by: Actor): Doer | null {
  const userId = findUser(by)?.id;
  return userId === undefined ? null : { userId, source: findSource(by) };
}

function findSource(by: Actor): ActivitySource | null {
  switch (by.type) {
    case "lead":
      return { kind: "lead" };
    case "client-agent":
      return { kind: "mcp", client: by.client ?? null };
    case "session-agent":
      return { kind: "session", sessionId: by.sessionId };
    case "cron-run":
      return { kind: "cron", cronId: by.cronId, runId: by.runId };
    case "member":
    case "relay":
    case "trigger":
    case "service":
      return null;
  }
}
