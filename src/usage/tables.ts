// The usage of workspaces' turns at the model providers. Effects of their objects write it; reports
// and spend limits read it.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { turnOwnerTypes } from "../chat/rules/chat.ts";

/** One row per turn, command or other piece of work, and per UTC day on which it called a model. */
export const usage = sqliteTable(
  "usage",
  {
    workId: text().notNull(),
    /** Such as `2026-01-31`. */
    day: text().notNull(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    ownerType: text({ enum: turnOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    /** The member who sent the turn's message; null for other senders. */
    memberId: text(),
    /** The cron whose run it is, or whose run filed its session; null for others. */
    cronId: text(),
    /** The trigger whose run made its session; null for others. */
    triggerId: text(),
    model: text(),
    /** The member whose subscription paid; null for the workspace. */
    payerId: text(),
    calls: integer().notNull(),
    inputTokens: integer().notNull(),
    cachedTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Null on a subscription. */
    nanoUsd: integer(),
    /** When the response to its first call of the day arrived. */
    at: integer().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.workId, row.day] }),
    index("usage_by_workspace").on(row.workspaceId, row.at),
    // For what the sessions of a trigger may cost in a day.
    index("usage_by_trigger").on(row.triggerId, row.at).where(sql`trigger_id IS NOT NULL`),
  ],
);

/**
 * The cost of each workspace's model calls in a month, so that its limit is checked without a sum.
 */
export const workspaceSpend = sqliteTable(
  "workspace_spend",
  {
    workspaceId: text().notNull(),
    /** Such as `2026-01`, in UTC. */
    month: text().notNull(),
    nanoUsd: integer().notNull(),
  },
  (spend) => [primaryKey({ columns: [spend.workspaceId, spend.month] })],
);
