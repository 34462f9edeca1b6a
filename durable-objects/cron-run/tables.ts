// What a run object keeps: its record, and the tables of its chat and of the object.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CronRun } from "../../src/cron/rules/run.ts";

export * from "../chat/tables.ts";
export * from "../object/tables/outbox.ts";

/** One row. */
export const cronRun = sqliteTable("cron_run", {
  id: text().primaryKey(),
  record: text({ mode: "json" }).$type<CronRun>().notNull(),
});

/** The log of the sandbox program, as far as it is kept: pieces of whole lines, in order. */
export const logPieces = sqliteTable("log_pieces", {
  seq: integer().primaryKey({ autoIncrement: true }),
  lines: text().notNull(),
  /** In UTF-8. */
  bytes: integer().notNull(),
});
