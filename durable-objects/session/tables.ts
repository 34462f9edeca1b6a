// The commits at which the branch of a session has been.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import { writers } from "../../src/chat/rules/message.ts";
import { commentSides } from "../../src/checkout/rules/review-comment.ts";
import type { Automatic } from "../../src/session/rules/automatic.ts";
import type { OpenPrTask, PullRequestReport, Shipping } from "../../src/session/rules/pull-request/state.ts";
import type { RuntimeCommandRun } from "../../src/session/rules/runtime-command.ts";
import type { Assignee } from "../../src/session/rules/session.ts";
import { createSessionColumns } from "../../src/session/tables.ts";

/** One row, once the session has pushed. */
export const branchHeads = sqliteTable("branch_heads", {
  id: integer().primaryKey(),
  own: text({ mode: "json" }).$type<string[]>().notNull(),
  others: text(),
  attempts: text({ mode: "json" }).$type<string[]>().notNull().default([]),
});

/** The activity events of a session that are recorded once a day. */
export const eventsOnce = sqliteTable("events_once", {
  once: text().primaryKey(),
  at: integer().notNull(),
});

/** The sessions that the agent of a session has filed, each with its turn. */
export const filings = sqliteTable("filings", { turnId: text().notNull(), filedId: text().notNull() }, (filing) => [
  primaryKey({ columns: [filing.turnId, filing.filedId] }),
]);

/** Review comments on the changes of a session. */
export const reviewComments = sqliteTable("review_comments", {
  id: text().primaryKey(),
  filePath: text().notNull(),
  side: text({ enum: commentSides }).notNull(),
  startLineNumber: integer().notNull(),
  endLineNumber: integer().notNull(),
  body: text().notNull(),
  lineSnapshot: text().notNull(),
  resolved: integer({ mode: "boolean" }).notNull(),
  outdated: integer({ mode: "boolean" }).notNull().default(false),
  author: text({ mode: "json" }).$type<Author>().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
});

// What a session object stores: its record, and the tables of its chat and of the object.
export * from "../chat/tables.ts";
export * from "../object/tables/idempotent-results.ts";
export * from "../object/tables/outbox.ts";

export const session = sqliteTable("session", {
  ...createSessionColumns(),
  promptWriter: text({ enum: writers }),
  filedDepth: integer().notNull().default(0),
  assignee: text({ mode: "json" }).$type<Assignee>(),
  conversationId: text().notNull(),
  clearedAt: integer(),
  command: text({ mode: "json" }).$type<RuntimeCommandRun>(),
  targetCommit: text(),
  prReport: text({ mode: "json" }).$type<PullRequestReport>(),
  openPr: text({ mode: "json" }).$type<OpenPrTask>(),
  ship: text({ mode: "json" }).$type<Shipping>(),
  automatic: text({ mode: "json" }).$type<Automatic>(),
});
