// A notification of an event, sent to people's devices. It has the id of the event.
import { notificationLifetimeMs, seenGraceMs } from "../../rules/limits.ts";

export const notificationKinds = [
  "job_awaiting_response",
  "job_failed",
  "pr_checks_failed",
  "cron_run_failed",
  "webhook_disabled",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export interface Notification {
  id: string;
  kind: NotificationKind;
  workspaceId: string;
  projectId: string | null;
  /** Null for a cron's notification. */
  sessionId: string | null;
  /** The turn that ended; null for other events. */
  turnId: string | null;
  /** The cron and its run; null for a session's notification. */
  run: { cronId: string; runId: string } | null;
  /** The title of the session, or the name of the cron or the webhook. */
  title: string;
  /** Who is notified; null for every member of the workspace. */
  userId: string | null;
  /** When it happened, in milliseconds since the epoch. */
  at: number;
  /**
   * Who had the session open in a browser then. They get it a little later than the others, so that
   * a page that they look at can say that it was seen.
   */
  followers?: string[];
}

/** The delays between tries to send a notification, which end after `notificationLifetimeMs`. */
export const notificationBackoff = { firstMs: 2_000, longestMs: 5 * 60_000 };

/** True while a person's page may still say that they have seen what a notification is about. */
export function isHeld({ at, followers = [] }: Notification, userId: string, now: number): boolean {
  return followers.includes(userId) && now < at + seenGraceMs;
}

/** True for a notification that is too old to be sent. */
export function isOver({ at }: Pick<Notification, "at">, now: number): boolean {
  return now >= at + notificationLifetimeMs;
}
