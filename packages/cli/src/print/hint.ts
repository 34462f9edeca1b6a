// The command that helps after a refusal, by its code and by what was asked for.
import type { ErrorCode, SwitchyardError } from "@switchyard/client";

const hints: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: "Sign in with `sy login HOST`, or set SWITCHYARD_API_KEY and SWITCHYARD_URL.",
  FORBIDDEN: "→ sy whoami",
  CREDIT_LIMIT_REACHED:
    "→ sy usage. The limit of a session: sy api PUT /api/projects/{project}/chat-sessions/ID -F spendLimitUsd=5",
  JOB_IN_PROGRESS: "→ sy wait ID",
  JOB_ACTIVE: "→ sy wait ID, or sy stop ID",
  JOB_STOPPED: "→ sy show ID",
  QUEUE_FULL: "→ sy queue ls ID",
  QUEUED_MESSAGE_CHANGED: "→ sy queue ls ID",
  QUEUED_MESSAGE_GONE: "→ sy show ID",
  STEER_UNAVAILABLE: "→ sy queue ls ID",
  SESSION_UNDER_REVIEW: "→ sy show ID",
  SESSION_STATUS_CHANGED: "→ sy show ID",
  SESSION_CHANGED: "→ sy show ID",
  DEPLOY_ACTIVE: "→ sy deploy chat, or sy deploy cancel",
  DEPLOY_RESUME_UNAVAILABLE: "→ sy deploy start",
  NOT_DEPLOYED: "→ sy deploy start",
  SKILL_NAME_TAKEN: "→ sy skills ls",
  CRON_RUN_STARTING: "→ sy cron runs CRON",
  GONE: "→ sy update",
};

const session = "/api/projects/{projectId}/chat-sessions/{sessionId}";

/** What helps where an operation does not find what it is about. */
const missingHints: Record<string, string> = {
  "GET /api/chat-sessions/{sessionId}": "→ sy ls",
  "POST /api/projects/{projectId}/chat-sessions": "→ sy projects",
  [`GET ${session}/preview/diff`]: "→ sy diff ID --stat",
  [`GET ${session}/pull-request`]: "→ sy pr ID",
  "GET /api/projects/{projectId}/preview/services/{serviceName}/log": "→ sy preview ID",
};

/** What of an error says which command helps. */
interface Refused extends Pick<SwitchyardError, "message" | "operation" | "requestId"> {
  failure: { code: ErrorCode };
}

/** The command that helps; null where what was said is all that helps. */
export function findHint({ failure: { code }, operation, message, requestId }: Refused): string | null {
  if (code === "NOT_FOUND") return missingHints[operation] ?? null;
  // Without a request id, something between here and the service has answered.
  if (code === "SERVICE_UNAVAILABLE") return requestId === null ? "→ sy doctor" : null;
  // No code of its own is for what a session of the Backlog cannot do.
  if (/in the Backlog\b.*\bactivate/i.test(message)) return "→ sy start ID";
  return hints[code] ?? null;
}
