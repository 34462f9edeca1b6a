// The live events of a chat, numbered without gaps, so that a subscriber can resume after its last event.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Every index that an event is in is one more row written, and pieces of text are most of what happens. So they are in none, and the log draws the
 * numbers itself.
 */
export const eventLog = sqliteTable(
  "event_log",
  {
    id: integer().primaryKey(),
    /** The turn of the event; null for an event of the owner. */
    turnId: text(),
    event: text().notNull(),
    /** JSON: the other fields of the event. */
    data: text().notNull(),
    /** The bytes of `data` of all events up to this one, so that the size of the log is known by its two ends. */
    totalBytes: integer().notNull().default(0),
  },
  (event) => [index("event_log_by_turn").on(event.turnId).where(sql`event <> 'answer-text'`)],
);

/** The log of earlier versions. Nothing is written there any more; the numbers go on behind its last one. */
export const liveEvents = sqliteTable(
  "live_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    turnId: text(),
    event: text().notNull(),
    data: text().notNull(),
  },
  (event) => [index("live_events_by_turn").on(event.turnId)],
);
