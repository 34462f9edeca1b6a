// How far a sweep has come that goes on from where the last one ended.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const sweepMarks = sqliteTable("sweep_marks", {
  sweep: text().primaryKey(),
  at: integer().notNull(),
});
