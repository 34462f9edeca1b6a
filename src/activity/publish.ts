// Tells the listeners of workspaces what has been recorded in the database.
import { waitUntil } from "cloudflare:workers";
import { workspaceEventsObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../lib/error-text.ts";
import { type FeedEvent, readRecorded } from "./queries.ts";
import type { RecordedEvent } from "./rules/activity.ts";

/** Tells recorded events, each to the listeners of its workspace. */
export async function tellActivity(env: Pick<Env, "WORKSPACE_EVENTS">, recorded: readonly FeedEvent[]): Promise<void> {
  for (const [workspaceId, events] of Map.groupBy(recorded, (event) => event.workspaceId)) {
    await workspaceEventsObject(env, workspaceId).tell(events.map((event) => ({ type: "activity", event })));
  }
}

/** Tells a change of members behind the answer. Whoever misses it finds it in the feed. */
export function tellChange(env: Pick<Env, "DB" | "WORKSPACE_EVENTS">, event: RecordedEvent | null): void {
  if (event === null) return;
  const told = readRecorded(env.DB, [event.id]).then((recorded) => tellActivity(env, recorded));
  waitUntil(told.catch((error: unknown) => console.error("a change of members is not told:", reasonOf(error))));
}
