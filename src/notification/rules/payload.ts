// The content of a notification, and how it is sent through APNs. It contains no message, question,
// path, error or secret: a locked screen shows it to anyone nearby, and the push service reads it.
import { notificationLifetimeMs } from "../../rules/limits.ts";
import { toPrintableLine } from "../../rules/text.ts";
import type { Notification, NotificationKind } from "./notification.ts";

/** The maximum size that APNs accepts. */
export const notificationBytes = 4_096;
/** A longer title is cut. */
const titleCharacters = 200;

const lines: Record<NotificationKind, string> = {
  job_awaiting_response: "The agent waits for your answer.",
  job_failed: "A turn failed.",
  pr_checks_failed: "Checks failed on its pull request.",
  cron_run_failed: "A run of this cron failed.",
  webhook_disabled: "A webhook was disabled.",
};

/**
 * The body for APNs, of at most `notificationBytes` as JSON. The title is the only part without a
 * fixed length, so it is cut.
 */
export function toPayload({ id, kind, workspaceId, projectId, sessionId, turnId, run, title }: Notification) {
  return {
    aps: {
      alert: { title: shortened(title), body: lines[kind] },
      sound: "default",
      // A device groups the notifications of one session, or of one cron.
      "thread-id": sessionId ?? run?.cronId ?? workspaceId,
    },
    id,
    kind,
    workspaceId,
    projectId,
    chatSessionId: sessionId,
    chatJobId: turnId,
    sessionPath: sessionId && projectId && `/api/projects/${projectId}/chat-sessions/${sessionId}`,
    cronId: run?.cronId ?? null,
    runId: run?.runId ?? null,
  };
}

/** What the service worker of the console shows. The notices of one session replace each other. */
export function toWebPayload({ id, kind, workspaceId, sessionId, run, title }: Notification) {
  return {
    ...{ id, kind, title: shortened(title), body: lines[kind] },
    tag: sessionId ?? run?.cronId ?? workspaceId,
    path: sessionId ? `/s/${sessionId}` : run ? `/crons/${run.cronId}/runs/${run.runId}` : `/w/${workspaceId}/webhooks`,
  };
}

/** A push service that holds two notifications with one topic delivers the newer one. */
export const getPushTopic = ({ id }: Notification): string => id.replaceAll("-", "").slice(0, 32);

/** How long a push service keeps a notification for a browser that it does not reach. */
export function getTtlSeconds({ at }: Notification, now: number): number {
  return Math.max(0, Math.floor((at + notificationLifetimeMs - now) / 1_000));
}

/** One line of printable text. Cut by code points, so that no character is split. */
function shortened(title: string): string {
  const characters = [...toPrintableLine(title)];
  if (characters.length <= titleCharacters) return characters.join("");
  return `${characters
    .slice(0, titleCharacters - 1)
    .join("")
    .trimEnd()}…`;
}

/**
 * The headers of a notification, besides the credential. A device shows two notifications with the
 * same collapse id once.
 */
export function getHeaders({ id, at }: Notification, bundleId: string): Record<string, string> {
  return {
    "apns-topic": bundleId,
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-collapse-id": id,
    "apns-expiration": String(Math.floor((at + notificationLifetimeMs) / 1_000)),
  };
}
