// Which events people are notified of on their devices, and who is notified (decisions, "Push").
import type { ActivityKind, UnlistedKind } from "../../activity/rules/activity.ts";
import type { Assignee, SessionState } from "../../session/rules/session.ts";
import { type Notification, type NotificationKind, notificationKinds } from "./notification.ts";

/** An event that people may be notified of. */
export interface ReportedEvent {
  id: string;
  kind: ActivityKind | UnlistedKind;
}

const isNotificationKind = (kind: string): kind is NotificationKind => notificationKinds.some((one) => one === kind);

/**
 * The notifications of a session's events. They go to the Assignee, to every member while that is
 * the service, and to nobody while there is none.
 */
export function listSessionNotifications(
  events: readonly ReportedEvent[],
  { session, chat }: SessionState,
  at: number,
): Notification[] {
  const { id: sessionId, workspaceId, projectId, title, assignee } = session;
  const to = addressee(assignee);
  if (to === null) return [];
  return events.flatMap(({ id, kind }) => {
    if (!isNotificationKind(kind)) return [];
    const turnId = kind.startsWith("job_") ? (chat.endedTurn?.id ?? null) : null;
    return [{ id, kind, workspaceId, projectId, sessionId, turnId, run: null, title, ...to, at }];
  });
}

function addressee(assignee: Assignee | null): { userId: string | null } | null {
  if (assignee === null) return null;
  return { userId: assignee.kind === "member" ? assignee.userId : null };
}

/**
 * The notification of a run's end, which goes to the cron's creator; null for an event without a
 * notification.
 */
export function findRunNotification(
  event: (ReportedEvent & { workspaceId: string; projectId: string | null; subject: string | null }) | null,
  { cronId, runId, createdBy }: { cronId: string; runId: string; createdBy: string },
  at: number,
): Notification | null {
  if (event === null || !isNotificationKind(event.kind)) return null;
  const { id, kind, workspaceId, projectId, subject } = event;
  return {
    ...{ id, kind, workspaceId, projectId, sessionId: null, turnId: null, run: { cronId, runId } },
    ...{ title: subject ?? "", userId: createdBy, at },
  };
}
