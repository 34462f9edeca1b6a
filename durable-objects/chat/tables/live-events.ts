// The live events of a chat, numbered without gaps, so that a subscriber can resume after its last event.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const liveEvents = sqliteTable(
  "live_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The turn of the event; null for an event of the owner. */
    turnId: text(),
    event: text().notNull(),
    /** JSON: the other fields of the event. */
    data: text().notNull(),
  },
  (event) => [index("live_events_by_turn").on(event.turnId)],
);
