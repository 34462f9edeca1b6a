// What a notice says on a device, and how it is sent through APNs. It holds no message, question,
// path, error or secret: a locked screen shows it to whoever is near, and the push service reads
// it.
import { noticeLifetimeMs } from "../../rules/limits.ts";
import { printableLine } from "../../rules/text.ts";
import type { Notice, NoticeKind } from "./notification.ts";

/** What APNs takes at most. */
export const noticeBytes = 4_096;
/** A longer title is cut. */
const titleCharacters = 200;

const lines: Record<NoticeKind, string> = {
  job_awaiting_response: "The agent waits for your answer.",
  job_failed: "A turn failed.",
  pr_checks_failed: "Checks failed on its pull request.",
  cron_run_failed: "A run of this cron failed.",
};

/**
 * The body that APNs takes, of at most `noticeBytes` as JSON: the title is the only part without a
 * fixed length, and it is cut.
 */
export function payloadOf({ id, kind, workspaceId, projectId, sessionId, turnId, run, title }: Notice) {
  return {
    aps: {
      alert: { title: shortened(title), body: lines[kind] },
      sound: "default",
      // A device groups the notices of one session, or of one cron.
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

/** One line of printable text. Cut by code points, so that no character is split. */
function shortened(title: string): string {
  const characters = [...printableLine(title)];
  if (characters.length <= titleCharacters) return characters.join("");
  return `${characters
    .slice(0, titleCharacters - 1)
    .join("")
    .trimEnd()}…`;
}

/**
 * The headers of a notice beside the credential. Two notices of one collapse id to one device are
 * shown once.
 */
export function headersOf({ id, at }: Notice, bundleId: string): Record<string, string> {
  return {
    "apns-topic": bundleId,
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-collapse-id": id,
    "apns-expiration": String(Math.floor((at + noticeLifetimeMs) / 1_000)),
  };
}
