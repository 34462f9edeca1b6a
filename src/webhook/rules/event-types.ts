// The types of events that webhooks send, and the patterns by which an endpoint chooses among them.

/** Every type. `src/http/openapi/webhook-events.ts` says what happened. */
export const webhookEventTypes = [
  "session.created",
  "session.updated",
  "session.status_changed",
  "session.deleted",
  "job.started",
  "job.awaiting_response",
  "job.completed",
  "job.failed",
  "job.cancelled",
  "pull_request.opened",
  "pull_request.closed",
  "pull_request.merged",
  "pull_request.checks_failed",
  "pull_request.checks_passed",
  "pull_request.behind",
  "pull_request.stale",
  "deploy.started",
  "deploy.awaiting_user",
  "deploy.completed",
  "deploy.failed",
  "deploy.cancelled",
  "cron_run.succeeded",
  "cron_run.failed",
  "cron_run.cancelled",
  "cron_run.skipped",
  "cron.created",
  "cron.updated",
  "cron.deleted",
  "member.invited",
  "member.joined",
  "member.removed",
  "member.role_changed",
  "spend.limit_reached",
  "trigger.limited",
  "webhook.disabled",
  "webhook.test",
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

const groups = new Set(webhookEventTypes.map((type) => type.slice(0, type.indexOf("."))));

/** The patterns that there are. */
export const eventPatterns: readonly string[] = [
  "*",
  ...[...groups].map((group) => `${group}.*`),
  ...webhookEventTypes,
];

/** True for `*`, for a type, and for all types of a group, such as `job.*`. */
export const isEventPattern = (pattern: string): boolean => eventPatterns.includes(pattern);

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
