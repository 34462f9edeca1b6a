// The activity events of a session that are recorded once a day.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const eventsOnce = sqliteTable("events_once", {
  once: text().primaryKey(),
  at: integer().notNull(),
});
