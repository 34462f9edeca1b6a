// What a session object keeps: its record, its turns and Up next. The conversation has tables of its own.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
  type Assignee,
  type Author,
  type FiledBy,
  priorities,
  pullRequestStates,
  sessionStatuses,
} from "../../src/rules/session.ts";
import { turnStatuses } from "../../src/rules/turn.ts";
import { pauseReasons } from "../../src/rules/up-next.ts";

export * from "./conversation.ts";
export * from "./outbox.ts";

export const session = sqliteTable("session", {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  projectId: text().notNull(),
  title: text().notNull(),
  prompt: text(),
  status: text({ enum: sessionStatuses }).notNull(),
  priority: text({ enum: priorities }).notNull(),
  model: text(),
  branch: text(),
  targetBranch: text().notNull(),
  sandboxKey: text().notNull(),
  assignee: text({ mode: "json" }).$type<Assignee>(),
  createdBy: text(),
  filedBy: text({ mode: "json" }).$type<FiledBy>(),
  prUrl: text(),
  prNumber: integer(),
  prState: text({ enum: pullRequestStates }),
  isBehind: integer({ mode: "boolean" }).notNull(),
  conversationId: text().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  startedAt: integer(),
  endedAt: integer(),
  pauseReason: text({ enum: pauseReasons }),
  pausedAt: integer(),
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

export const upNext = sqliteTable("up_next", {
  id: text().primaryKey(),
  position: integer().notNull(),
  content: text().notNull(),
  author: text({ mode: "json" }).$type<Author>().notNull(),
  version: integer().notNull(),
  createdAt: integer().notNull(),
});
