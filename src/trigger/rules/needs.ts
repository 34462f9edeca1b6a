// What a trigger needs of the code host: the permissions of the service's App, and the events that
// are sent to it. Without them the trigger never runs.
import type { Trigger } from "./trigger.ts";

type Level = "read" | "write";

/** What an installation of the App has granted, and what is sent because of it. */
export interface Granted {
  permissions: Readonly<Record<string, string>>;
  events: readonly string[];
}

/** Each event, with the permission that it depends on. */
const permissionOf: Record<string, string> = {
  check_run: "checks",
  issue_comment: "issues",
  issues: "issues",
  pull_request: "pull_requests",
  pull_request_review: "pull_requests",
  pull_request_review_comment: "pull_requests",
};

const eventsOf: Record<Trigger["on"], string[]> = {
  checks_failed: ["check_run", "pull_request"],
  review: ["pull_request_review"],
  mention: ["issue_comment", "pull_request_review", "pull_request_review_comment"],
  label: ["issues", "pull_request"],
  assigned: ["issues"],
  pull_request: ["pull_request"],
  http: [],
};

/** Each level includes the lower one. */
function hasLevel(granted: string | undefined, needed: Level): boolean {
  return granted !== undefined && (granted === needed || needed === "read");
}

/**
 * The permissions that a trigger lacks, and the events that are not sent although their permission
 * is granted. `webhooks` is for a service that can receive none; `granted` is null if unknown.
 */
export function listLacking(
  { on, answer }: Pick<Trigger, "on" | "answer">,
  { granted, receivesEvents }: { granted: Granted | null; receivesEvents: boolean },
): string[] {
  if (!receivesEvents && on !== "http") return ["webhooks"];
  if (granted === null) return [];
  const { permissions, events } = granted;
  const level: Level = on === "mention" && answer !== "none" ? "write" : "read";
  const lacking = eventsOf[on].flatMap((event) => {
    const permission = permissionOf[event] ?? event;
    if (!hasLevel(permissions[permission], level)) return [permission];
    return events.includes(event) ? [] : [event];
  });
  return [...new Set(lacking)];
}
