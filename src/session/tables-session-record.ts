// The columns of a session that both its object's database and the D1 index have.

import { integer, real, text } from "drizzle-orm/sqlite-core";
import { pauseReasons } from "../chat/rules/queue.ts";
import { pullRequestStates } from "./rules/pull-request/state.ts";
import { type FiledBy, priorities } from "./rules/session.ts";
import { sessionStatuses } from "./rules/status.ts";

/** Returns new column builders: drizzle does not share them between tables. */
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
    /** What its turns may cost the workspace, in US dollars; null for no limit. */
    spendLimitUsd: real(),
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
