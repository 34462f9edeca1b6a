// What every object stores besides its own data: effects still to be performed, and reminders still
// to fire.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const effects = sqliteTable("effects", {
  key: text().primaryKey(),
  effect: text({ mode: "json" }).notNull(),
  /** Distinguishes an effect from a newer one under the same key. */
  ticket: integer().notNull(),
  attempts: integer().notNull(),
  /** The request that caused the effect; null if none did. */
  requestId: text(),
  dueAt: integer().notNull(),
});

export const reminders = sqliteTable("reminders", {
  name: text().primaryKey(),
  at: integer().notNull(),
});
