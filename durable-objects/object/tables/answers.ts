// The answers that callers may ask for again: what the first request under an Idempotency-Key came
// to.
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
