// What a session object keeps: its record, its turns and Up next. The conversation has tables of its own.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type Attachment, type MessageContext, noContext } from "../../../src/rules/chat/message.ts";
import { turnStatuses } from "../../../src/rules/chat/turn.ts";
import type { QueuedMessage } from "../../../src/rules/chat/up-next.ts";
import type { PullRequestReport } from "../../../src/rules/pull-request/code-host-event.ts";
import type { OpenPrTask } from "../../../src/rules/pull-request/open-task.ts";
import type { Shipping } from "../../../src/rules/pull-request/ship.ts";
import type { RuntimeCommandRun } from "../../../src/rules/session/runtime-command.ts";
import type { Assignee, Author } from "../../../src/rules/session/session.ts";
import { sessionRecord } from "../../../src/storage/tables/session-record.ts";

export * from "../../chat/tables/conversation.ts";
export * from "../../chat/tables/live-events.ts";
export * from "../../object/tables/answers.ts";
export * from "../../object/tables/outbox.ts";
export * from "./branch-heads.ts";
export * from "./review-comments.ts";

export const session = sqliteTable("session", {
  ...sessionRecord(),
  assignee: text({ mode: "json" }).$type<Assignee>(),
  conversationId: text().notNull(),
  clearedAt: integer(),
  command: text({ mode: "json" }).$type<RuntimeCommandRun>(),
  targetCommit: text(),
  prReport: text({ mode: "json" }).$type<PullRequestReport>(),
  openPr: text({ mode: "json" }).$type<OpenPrTask>(),
  ship: text({ mode: "json" }).$type<Shipping>(),
});

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
    // Whatever the code does, at most one turn is unfinished.
    uniqueIndex("one_unfinished_turn").on(sql`1`).where(sql`status in ('pending', 'running')`),
    index("turns_by_status").on(turn.status),
  ],
);

const queuedMessage = () => ({
  id: text().primaryKey(),
  position: integer().notNull(),
  content: text().notNull(),
  attachments: text({ mode: "json" }).$type<Attachment[]>().notNull().default([]),
  context: text({ mode: "json" }).$type<MessageContext>().notNull().default(noContext),
  author: text({ mode: "json" }).$type<Author>().notNull(),
  version: integer().notNull(),
  editing: text({ mode: "json" }).$type<QueuedMessage["editing"]>(),
  createdAt: integer().notNull(),
});

export const upNext = sqliteTable("up_next", queuedMessage());

/** Messages handed to the running turn that its agent has not taken yet. */
export const steers = sqliteTable("steers", {
  ...queuedMessage(),
  steerId: text().notNull(),
  turnId: text().notNull(),
});

/** Messages that have left Up next for good, so that a late change of one can be told from a wrong id. */
export const leftUpNext = sqliteTable("left_up_next", { id: text().primaryKey() });
