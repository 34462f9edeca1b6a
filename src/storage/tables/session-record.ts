// A session's record: the columns that its object keeps and that the index of sessions repeats.
import { integer, text } from "drizzle-orm/sqlite-core";
import { pauseReasons } from "../../rules/chat/up-next.ts";
import { type FiledBy, priorities, pullRequestStates, sessionStatuses } from "../../rules/session/session.ts";

/** Builds the columns anew for each table that has them. */
export function sessionRecord() {
  return {
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
    createdBy: text(),
    filedBy: text({ mode: "json" }).$type<FiledBy>(),
    prUrl: text(),
    prNumber: integer(),
    prState: text({ enum: pullRequestStates }),
    prBase: text(),
    isBehind: integer({ mode: "boolean" }).notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    startedAt: integer(),
    endedAt: integer(),
    pauseReason: text({ enum: pauseReasons }),
    pausedAt: integer(),
  };
}
