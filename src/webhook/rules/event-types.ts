// The types of events that webhooks send, and the patterns by which an endpoint chooses among them.

/** Every type, with what happened. `npm run check` fails if two types have the same name. */
export const webhookEventTypes = {
  "session.created": "A session was created, in the Backlog or Active.",
  "session.updated": "Fields of a session changed; `changed` names them.",
  "session.status_changed": "A session has another status: `from` and `to`.",
  "session.deleted": "A session was deleted.",
  "job.started": "A turn was accepted and starts.",
  "job.awaiting_response": "A turn ended with a question.",
  "job.completed": "A turn ended.",
  "job.failed": "A turn failed; `errorCode` says why, where the reason is known.",
  "job.cancelled": "A turn was stopped.",
  "pull_request.opened": "The session's pull request is open.",
  "pull_request.closed": "The session's pull request was closed without a merge.",
  "pull_request.merged": "The session's pull request was merged.",
  "pull_request.checks_failed": "The checks of the pull request's head have ended, and one failed.",
  "pull_request.checks_passed": "The checks of the pull request's head have ended, and all passed.",
  "pull_request.behind": "The session's branch is behind its Target Branch.",
  "pull_request.stale": "Nothing has happened in the pull request for a while.",
  "deploy.started": "A Deploy started.",
  "deploy.awaiting_user": "A Deploy waits for an answer or for a decision.",
  "deploy.completed": "A Deploy ended, and the project has its main sandbox.",
  "deploy.failed": "A Deploy failed.",
  "deploy.cancelled": "A Deploy was cancelled.",
  "cron_run.succeeded": "A run of a cron succeeded.",
  "cron_run.failed": "A run of a cron failed.",
  "cron_run.cancelled": "A run of a cron was cancelled.",
  "cron_run.skipped": "A run of a cron did not start.",
  "cron.created": "A cron was created.",
  "cron.updated": "A cron was edited, paused or resumed; `change` says which.",
  "cron.deleted": "A cron was deleted.",
  "member.invited": "An email address was invited to the workspace.",
  "member.joined": "A person accepted an invitation.",
  "member.removed": "A member was removed, or left.",
  "member.role_changed": "A member has another role: `from` and `to`.",
  "webhook.disabled": "Another webhook of the workspace was disabled; `reason` says why.",
  "webhook.test": "A test, sent only to the webhook that is tested.",
} as const;

export type WebhookEventType = keyof typeof webhookEventTypes;

const types = Object.keys(webhookEventTypes) as WebhookEventType[];
const groups = new Set(types.map((type) => type.slice(0, type.indexOf("."))));

/** True for `*`, for a type, and for all types of a group, such as `job.*`. */
export function isEventPattern(pattern: string): boolean {
  return (
    pattern === "*" ||
    Object.hasOwn(webhookEventTypes, pattern) ||
    (pattern.endsWith(".*") && groups.has(pattern.slice(0, -2)))
  );
}

/** The patterns that there are, for the message about one that does not exist. */
export const eventPatterns: readonly string[] = ["*", ...[...groups].map((group) => `${group}.*`), ...types];

/** What decides whether an endpoint gets an event. */
export interface Subscription {
  events: readonly string[];
  /** Only events of these projects; null for all events of the workspace. */
  projects: readonly string[] | null;
}

/** True if the endpoint gets an event. `webhook.test` is sent directly, and matches no pattern. */
export function isSubscribed(
  { events, projects }: Subscription,
  { type, projectId }: { type: WebhookEventType; projectId: string | null },
): boolean {
  if (type === "webhook.test") return false;
  if (projects !== null && (projectId === null || !projects.includes(projectId))) return false;
  const group = `${type.slice(0, type.indexOf("."))}.*`;
  return events.some((pattern) => pattern === "*" || pattern === type || pattern === group);
}
