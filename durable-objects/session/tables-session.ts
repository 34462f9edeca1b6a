// What a session object keeps: its record, and the tables of its chat and of the object.

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { writers } from "../../src/chat/rules/message.ts";
import type { OpenPrTask, PullRequestReport, Shipping } from "../../src/session/rules/pull-request/state.ts";
import type { RuntimeCommandRun } from "../../src/session/rules/runtime-command.ts";
import type { Assignee } from "../../src/session/rules/session.ts";
import { sessionRecord } from "../../src/session/tables-session-record.ts";

export * from "../chat/tables.ts";
export * from "../chat/tables.ts";
export * from "../chat/tables.ts";
export * from "../chat/tables.ts";
export * from "../chat/tables.ts";
export * from "../object/tables/answers.ts";
export * from "../object/tables/outbox.ts";
export * from "./tables.ts";
export * from "./tables-events-once.ts";
export * from "./tables-filings.ts";
export * from "./tables-review-comments.ts";

export const session = sqliteTable("session", {
  ...sessionRecord(),
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
});
