// The place where each sweep ended. The next sweep continues there: after a time, or after a row of
// a table.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const sweepMarks = sqliteTable("sweep_marks", {
  sweep: text().primaryKey(),
  at: integer().notNull(),
  /**
   * For a sweep that goes through a table: the id of the last row it read; null once the round is
   * over.
   */
  cursor: text(),
});
