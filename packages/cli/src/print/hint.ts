// The command that helps after a refusal, by its code.
import type { ErrorCode } from "@switchyard/client";

const hints: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: "Sign in with `sy login HOST`, or set SWITCHYARD_API_KEY and SWITCHYARD_URL.",
  FORBIDDEN: "→ sy whoami",
  NOT_FOUND: "→ sy ls, sy projects",
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
  SERVICE_UNAVAILABLE: "→ sy doctor",
};

/** The command that helps; null where what was said is all that helps. */
export function findHint(code: ErrorCode): string | null {
  return hints[code] ?? null;
}
