// The activity of workspaces: what members did, and what the service observed, for the last 30
// days.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type ActivitySource, activityKinds } from "./rules/activity.ts";

export const activity = sqliteTable(
  "activity",
  {
    /**
     * The order of the feed. Values are never reused, so that a Seen Mark remains correct after a
     * sweep.
     */
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text().notNull(),
    projectId: text(),
    /** The name at that time; null if the project had been deleted. */
    projectName: text(),
    sessionId: text(),
    kind: text({ enum: activityKinds }).notNull(),
    actorId: text(),
    source: text({ mode: "json" }).$type<ActivitySource>(),
    subject: text(),
    payload: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    /**
     * When it was written. Never earlier than the event before it, so that ordering by `seq` is
     * ordering by time.
     */
    createdAt: integer().notNull(),
    /** Of events with the same text, only the first one is stored. */
    once: text().unique(),
  },
  (event) => [
    index("activity_by_time").on(event.createdAt),
    index("activity_by_workspace").on(event.workspaceId, event.seq, event.actorId),
    index("activity_by_workspace_and_kind").on(event.workspaceId, event.kind, event.seq, event.actorId),
    index("activity_by_project_and_kind").on(event.projectId, event.kind, event.seq),
    // For the restore of a session.
    index("activity_of_deleted_sessions").on(event.sessionId).where(sql`kind = 'session_deleted'`),
  ],
);

/**
 * The number of events in each hour, so that totals do not read the events themselves. Its
 * migration makes it a table WITHOUT ROWID, so that a sum reads only its key.
 */
export const activityCounts = sqliteTable(
  "activity_counts",
  {
    /** The id of a workspace, or of a project. */
    scopeId: text().notNull(),
    /** The member whose events are counted; empty for the count of all events. */
    actorId: text().notNull(),
    kind: text({ enum: activityKinds }).notNull(),
    /** The number of completed spans of `activityCountMs` since 1970. */
    hour: integer().notNull(),
    events: integer().notNull(),
  },
  (counted) => [
    primaryKey({ columns: [counted.scopeId, counted.actorId, counted.kind, counted.hour] }),
    index("activity_counts_by_hour").on(counted.hour),
  ],
);

/**
 * The same by day, so that a total over many workspaces reads only a few rows of each. Triggers of
 * its migration maintain it: every hourly count is added to the day's. Its migration also makes it
 * a table WITHOUT ROWID.
 */
export const activityDailyCounts = sqliteTable(
  "activity_daily_counts",
  {
    scopeId: text().notNull(),
    actorId: text().notNull(),
    kind: text({ enum: activityKinds }).notNull(),
    /** The number of completed days since 1970. */
    day: integer().notNull(),
    events: integer().notNull(),
  },
  (counted) => [
    primaryKey({ columns: [counted.scopeId, counted.actorId, counted.kind, counted.day] }),
    index("activity_daily_counts_by_day").on(counted.day),
  ],
);

/**
 * The Seen Marks: how far a member has read the activity of a workspace. A member without a mark
 * has read nothing.
 */
export const seenMarks = sqliteTable(
  "seen_marks",
  {
    workspaceId: text().notNull(),
    userId: text().notNull(),
    /** Every later event is New to the member, except their own. The value never decreases. */
    seq: integer().notNull(),
  },
  (mark) => [primaryKey({ columns: [mark.workspaceId, mark.userId] })],
);
