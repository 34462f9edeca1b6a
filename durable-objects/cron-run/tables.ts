// What a run object stores: its record, and the tables of its chat and of the object.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CronRun } from "../../src/cron/rules/run.ts";

export * from "../chat/tables.ts";
export * from "../object/tables/outbox.ts";

/** One row. */
export const cronRun = sqliteTable("cron_run", {
  id: text().primaryKey(),
  record: text({ mode: "json" }).$type<CronRun>().notNull(),
});

/** The stored part of the sandbox program's log: pieces of whole lines, in order. */
export const logPieces = sqliteTable("log_pieces", {
  seq: integer().primaryKey({ autoIncrement: true }),
  lines: text().notNull(),
  /** The size in UTF-8. */
  bytes: integer().notNull(),
});
