// What a cron object stores: its state, the slots that it fired, and the tables of the object.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CronState } from "../../src/cron/rules/cron.ts";
import type { FiredRun } from "../../src/cron/rules/run-status.ts";

export * from "../object/tables/idempotent-results.ts";
export * from "../object/tables/outbox.ts";

/** One row. */
export const cron = sqliteTable("cron", {
  id: text().primaryKey(),
  state: text({ mode: "json" }).$type<CronState>().notNull(),
});

/** The slots of the last days, so that none is fired twice. */
export const firedSlots = sqliteTable("fired_slots", {
  slot: integer().primaryKey(),
  runs: text({ mode: "json" }).$type<FiredRun[]>().notNull(),
});
