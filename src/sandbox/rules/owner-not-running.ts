// The message for requests that need a running sandbox when there is none.
import { isEnded, type SessionStatus } from "../../session/rules/status.ts";

/** Says what to do about it, which depends on the status of the session. */
export function asleepText(status: SessionStatus): string {
  if (status === "backlog") return "A session in the Backlog has no sandbox until it is activated.";
  if (isEnded(status)) return "This session has ended, so it has no sandbox any more.";
  return "The sandbox is not running. Request the preview to wake it, then try again.";
}
