// The place where each sweep ended. The next one continues there: behind a time, or in a table
// behind a row.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const sweepMarks = sqliteTable("sweep_marks", {
  sweep: text().primaryKey(),
  at: integer().notNull(),
  /**
   * Of a sweep that goes through a table: the id of the last row of its round; null once the round
   * is over.
   */
  cursor: text(),
});
