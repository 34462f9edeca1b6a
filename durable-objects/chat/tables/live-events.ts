// The live events of an object, numbered without gaps, so that a reader who was away goes on where it was.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const liveEvents = sqliteTable(
  "live_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The turn it belongs to; null for what belongs to its owner. */
    turnId: text(),
    event: text().notNull(),
    /** JSON: what it tells besides. */
    data: text().notNull(),
  },
  (event) => [index("live_events_by_turn").on(event.turnId)],
);
