// The place where each sweep ended. The next one continues there.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const sweepMarks = sqliteTable("sweep_marks", {
  sweep: text().primaryKey(),
  at: integer().notNull(),
});
