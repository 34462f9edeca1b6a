// How pages call the status of a session.
import type { SessionStatus } from "../rules/status.ts";

export const sessionStatusWords: Record<SessionStatus, string> = {
  backlog: "Backlog",
  active: "Active",
  "under-review": "Under review",
  completed: "Completed",
  archived: "Archived",
};
