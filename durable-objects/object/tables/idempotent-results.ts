// The results that callers may ask for again: the result of the first request under an
// Idempotency-Key.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const idempotentResults = sqliteTable(
  "answers",
  {
    /** Identifies the caller, the route and the key. */
    key: text().primaryKey(),
    bodyHash: text().notNull(),
    result: text("answer", { mode: "json" }).notNull(),
    keptAt: integer("answered_at").notNull(),
  },
  (result) => [index("answers_by_time").on(result.keptAt)],
);
