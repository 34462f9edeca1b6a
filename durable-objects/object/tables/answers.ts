// The results that callers may ask for again: the result of the first request under an
// Idempotency-Key.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const answers = sqliteTable(
  "answers",
  {
    /** Identifies the caller, the route and the key. */
    key: text().primaryKey(),
    bodyHash: text().notNull(),
    answer: text({ mode: "json" }).notNull(),
    answeredAt: integer().notNull(),
  },
  (answer) => [index("answers_by_time").on(answer.answeredAt)],
);
