// The turns of a chat, ended or not.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import { turnStatuses } from "../../src/chat/rules/turn.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import type { Usage } from "../../src/usage/rules/usage.ts";

export const turns = sqliteTable(
  "turns",
  {
    id: text().primaryKey(),
    number: integer().notNull(),
    status: text({ enum: turnStatuses }).notNull(),
    error: text(),
    errorCode: text(),
    sender: text({ mode: "json" }).$type<Author>().notNull(),
    model: text(),
    payer: text({ mode: "json" }).$type<Payer>(),
    usage: text({ mode: "json" }).$type<Usage>(),
    conversationId: text().notNull().default(""),
    isHandover: integer({ mode: "boolean" }).notNull().default(false),
    generation: integer().notNull(),
    stopRequestedAt: integer(),
    createdAt: integer().notNull(),
    startedAt: integer(),
    completedAt: integer(),
  },
  (turn) => [
    uniqueIndex("turns_by_number").on(turn.number),
    // The database enforces that at most one turn is unfinished.
    uniqueIndex("one_unfinished_turn").on(sql`1`).where(sql`status in ('pending', 'running')`),
    index("turns_by_status").on(turn.status),
  ],
);
