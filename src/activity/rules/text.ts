// The display line of an event.
import { toPrintableLine } from "../../rules/text.ts";
import type { ActivityKind } from "./activity.ts";

/** The parts of a line, with the current names. */
export interface TextFacts {
  kind: ActivityKind;
  actorName: string | null;
  subject: string | null;
  payload: Record<string, unknown>;
}

/** One line of plain text. */
export function formatActivity({ kind, actorName, subject, payload }: TextFacts): string {
  const [who, what] = [actorName ?? "Somebody", `“${subject ?? "a session"}”`];
  return toPrintableLine(line(kind, who, what, payload));
}

function line(kind: ActivityKind, who: string, what: string, payload: Record<string, unknown>): string {
  switch (kind) {
    case "job_awaiting_response":
      return `The agent waits for an answer in ${what}`;
    case "pr_checks_failed":
      return `Checks failed on the pull request of ${what}`;
    case "pr_checks_passed":
      return `Checks passed on the pull request of ${what}`;
    case "pr_merged":
      return merged(what, payload);
    case "branch_behind":
      return `The branch of ${what} fell behind its Target Branch`;
    case "pr_stale":
      return `The pull request of ${what} had no activity for 3 days`;
    case "cron_run_succeeded":
      return `A run of ${what} succeeded`;
    case "cron_run_failed":
      return `A run of ${what} failed${payload.error ? `: ${payload.error}` : ""}`;
    case "session_started":
      return `${who} started ${what}`;
    case "session_message_sent":
      return `${who} sent a message to ${what}`;
    case "session_archived":
      return `${who} archived ${what}`;
    case "session_deleted":
      return `${who} deleted ${what}`;
    case "session_assigned":
      return assigned(who, what, payload.assignee as Assigned | null);
    case "session_status_changed":
      return `${who} moved ${what} from ${inWords(payload.from)} to ${inWords(payload.to)}`;
    case "session_priority_changed":
      return `${who} changed the priority of ${what} from ${payload.from} to ${payload.to}`;
    case "cron_created":
      return `${who} created the cron ${what}`;
    case "cron_updated":
      return `${who} ${payload.change ?? "edited"} the cron ${what}`;
    case "cron_deleted":
      return `${who} deleted the cron ${what}`;
    case "member_invited":
      return `${who} invited ${payload.email}`;
    case "member_removed":
      return payload.self === true ? `${who} left the workspace` : `${who} removed ${payload.name}`;
    case "member_role_changed":
      return payload.transfer === true
        ? `${who} made ${payload.name} the owner`
        : `${who} made ${payload.name} ${payload.to === "admin" ? "an admin" : "a member"}`;
  }
}

type Assigned = { kind: "member"; name: string } | { kind: "service" };

function assigned(who: string, what: string, assignee: Assigned | null): string {
  if (!assignee) return `${who} cleared the Assignee of ${what}`;
  return `${who} assigned ${what} to ${assignee.kind === "member" ? assignee.name : "the service"}`;
}

function merged(what: string, { pullRequestNumber, mergedBy }: Record<string, unknown>): string {
  const by = mergedBy as { name: string | null; login: string } | null | undefined;
  if (!by) return `Pull request #${pullRequestNumber} of ${what} was merged`;
  return `${by.name ?? by.login} merged pull request #${pullRequestNumber} of ${what}`;
}

/** A status as people read it: `under-review` becomes Under Review. */
function inWords(status: unknown): string {
  return String(status)
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
