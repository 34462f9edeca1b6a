// The events of a session on their way to the feed and to people. An event gets its id here, in the transaction of its decision, so that it is one
// event however often it is written.
import { lte } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { HappenedEvent } from "../../src/activity/rules/activity.ts";
import { newId } from "../../src/ids.ts";
import { eventsOnce } from "./tables-events-once.ts";

/** Longer than the day that an event counts for. */
const rememberedMs = 48 * 3_600_000;

/** An event with its id. */
export type TakenEvent = HappenedEvent & { id: string };

export interface RecordedEvents {
  /** The events that count, which leaves out those that count once and were taken before. */
  take(events: HappenedEvent[], now: number): TakenEvent[];
}

export function openRecordedEvents(db: DrizzleSqliteDODatabase): RecordedEvents {
  function isFirst(once: string, now: number): boolean {
    const added = db.insert(eventsOnce).values({ once, at: now }).onConflictDoNothing().returning().get();
    if (added)
      db.delete(eventsOnce)
        .where(lte(eventsOnce.at, now - rememberedMs))
        .run();
    return added !== undefined;
  }
  return {
    take: (events, now) =>
      events
        .filter(({ once }) => once === null || isFirst(once, now))
        .map((event) => ({ id: newId(now), ...event, once: event.once && `${event.sessionId} ${event.once}` })),
  };
}
