// The activity of workspaces: what members did, and what the service observed, for the last 30 days.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type ActivitySource, activityKinds } from "../../rules/activity/activity.ts";

export const activity = sqliteTable(
  "activity",
  {
    /** The order of the feed. Never used again, so that a place in the feed stays true after a sweep. */
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text().notNull(),
    projectId: text(),
    /** As it was then; null if the project was gone by the time of writing. */
    projectName: text(),
    sessionId: text(),
    kind: text({ enum: activityKinds }).notNull(),
    actorId: text(),
    source: text({ mode: "json" }).$type<ActivitySource>(),
    subject: text(),
    payload: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer().notNull(),
  },
  (event) => [index("activity_by_time").on(event.createdAt)],
);
