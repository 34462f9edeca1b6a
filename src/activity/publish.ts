// Notifies the listeners of workspaces about recorded events.
import { waitUntil } from "cloudflare:workers";
import { getWorkspaceEventsObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { type FeedEvent, readRecorded } from "./queries.ts";
import type { RecordedEvent } from "./rules/activity.ts";

/** Sends recorded events to the listeners of their workspaces. */
export async function publishActivity(
  env: Pick<Env, "WORKSPACE_EVENTS" | "JURISDICTION">,
  recorded: readonly FeedEvent[],
): Promise<void> {
  for (const [workspaceId, events] of Map.groupBy(recorded, (event) => event.workspaceId)) {
    await getWorkspaceEventsObject(env, workspaceId).publish(events.map((event) => ({ type: "activity", event })));
  }
}

/**
 * Sends a change of members to the listeners, after the response. A listener that misses it finds
 * it in the feed.
 */
export function publishChange(
  env: Pick<Env, "DB" | "WORKSPACE_EVENTS" | "JURISDICTION">,
  event: RecordedEvent | null,
): void {
  if (event === null) return;
  const published = readRecorded(env.DB, [event.id]).then((recorded) => publishActivity(env, recorded));
  waitUntil(published.catch((error: unknown) => log.warn("activity.not_published", { error })));
}
