// The activity feed as it grows: pages from below, live events from above.
import type { Schemas } from "@switchyard/client";
import type { ActivitySearch } from "./search.ts";

export type ActivityEvent = Schemas["ActivityEvent"];

/** True if a feed with these filters has the event. */
export function isShown(event: ActivityEvent, { kind, workspace, project }: ActivitySearch): boolean {
  return (
    (kind === undefined || event.category === kind) &&
    (workspace === undefined || event.workspaceId === workspace) &&
    (project === undefined || event.projectId === project)
  );
}

/** Puts an event that has just happened on top, once. */
export function addEvent(events: readonly ActivityEvent[], event: ActivityEvent): readonly ActivityEvent[] {
  return events.some(({ id }) => id === event.id) ? events : [event, ...events];
}

/** The events by the day on which they were recorded, in the order they have. */
export function groupByDay(
  events: readonly ActivityEvent[],
  toDay: (at: string) => string,
): [day: string, events: ActivityEvent[]][] {
  return [...Map.groupBy(events, ({ createdAt }) => toDay(createdAt))];
}

/** Where New ends: the id of the first event below all new ones; null where none is new. */
export function findSeenLine(events: readonly ActivityEvent[]): string | null {
  const lastNew = events.findLastIndex(({ isNew }) => isNew);
  return lastNew === -1 ? null : (events[lastNew + 1]?.id ?? null);
}

export type Tone = "bad" | "good" | "asks" | "quiet";

/** How an event looks: what went wrong and what went well has a color. */
export function findTone({ kind }: Pick<ActivityEvent, "kind">): Tone {
  if (kind === "job_awaiting_response") return "asks";
  if (kind === "pr_checks_failed" || kind === "cron_run_failed") return "bad";
  if (kind === "pr_checks_passed" || kind === "pr_merged" || kind === "cron_run_succeeded") return "good";
  return "quiet";
}

/** The cron of an event, and its run where there is one; null where no page shows it. */
export function findCron({ kind, payload }: Pick<ActivityEvent, "kind" | "payload">) {
  const { cronId, runId } = payload;
  if (typeof cronId !== "string" || kind === "cron_deleted") return null;
  return { cron: cronId, run: typeof runId === "string" ? runId : null };
}

/** The agent that acted for the member; null where they did it by hand. */
export function describeSource({ source }: Pick<ActivityEvent, "source">): string | null {
  if (source === null) return null;
  if (source.kind === "mcp") return `by ${source.client ?? "an agent"} over MCP`;
  const words: Record<typeof source.kind, string> = {
    lead: "by the Lead",
    session: "by a session's agent",
    cron: "by a run of a cron",
  };
  return words[source.kind] ?? null;
}
