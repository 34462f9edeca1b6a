// The triggers of projects, and their runs.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { outcomes, skipReasons } from "./rules/outcome.ts";
import type { Trigger } from "./rules/trigger.ts";

/** One row for each project that has set triggers. */
export const triggers = sqliteTable("triggers", {
  projectId: text().primaryKey(),
  /** Rises with each change, so that a change of an older state is refused. */
  version: integer().notNull(),
  triggers: text({ mode: "json" }).$type<Trigger[]>().notNull(),
});

/** One row for each cause of a trigger. */
export const triggerRuns = sqliteTable(
  "trigger_runs",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    triggerId: text().notNull(),
    triggerName: text().notNull(),
    /** What happened, in one text that is identical for all reports of it. */
    cause: text().notNull(),
    url: text(),
    sessionId: text().notNull(),
    /** Null until the run has ended. */
    outcome: text({ enum: outcomes }),
    reason: text({ enum: skipReasons }),
    createdAt: integer().notNull(),
  },
  (run) => [
    uniqueIndex("trigger_runs_by_cause").on(run.triggerId, run.cause),
    index("trigger_runs_by_project").on(run.projectId, run.id),
    index("trigger_runs_by_time").on(run.createdAt),
  ],
);
