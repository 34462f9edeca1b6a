// The answers that callers may ask for again: what the first request under an Idempotency-Key came to.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const answers = sqliteTable(
  "answers",
  {
    /** Names the caller, the route and the key. */
    key: text().primaryKey(),
    bodyHash: text().notNull(),
    answer: text({ mode: "json" }).notNull(),
    answeredAt: integer().notNull(),
  },
  (answer) => [index("answers_by_time").on(answer.answeredAt)],
);

// What every object keeps besides its own nouns: effects still to be performed, and reminders still to fire.

export const effects = sqliteTable("effects", {
  key: text().primaryKey(),
  effect: text({ mode: "json" }).notNull(),
  /** Tells an effect from a newer one under the same key. */
  ticket: integer().notNull(),
  attempts: integer().notNull(),
  dueAt: integer().notNull(),
});

export const reminders = sqliteTable("reminders", {
  name: text().primaryKey(),
  at: integer().notNull(),
});
