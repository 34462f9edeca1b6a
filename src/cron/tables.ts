// Crons and their runs in D1, for lists, searches and access checks. The objects of crons and of
// runs own the data.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { cronRunStatuses, runStopSources } from "./rules/run-status.ts";

export const crons = sqliteTable(
  "crons",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    name: text().notNull(),
    /**
     * The start of a long prompt (`toListedPrompt`). The whole prompt is in `cron_prompts`, so that
     * lists do not read it.
     */
    prompt: text().notNull(),
    cronExpression: text().notNull(),
    model: text(),
    enabled: integer({ mode: "boolean" }).notNull(),
    disabledReason: text(),
    createdBy: text().notNull(),
    /**
     * The slot that its object waits for, or the time of a fire whose runs are not all open; null
     * if there is neither.
     */
    nextSlot: integer(),
    lastRunAt: integer(),
    lastRunStatus: text({ enum: cronRunStatuses }),
    /** The name and the start of the prompt, normalized for search. */
    searchText: text().notNull(),
    isPromptCut: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (cron) => [
    index("crons_by_workspace").on(cron.workspaceId, cron.createdAt, cron.id, cron.createdBy),
    index("crons_by_slot").on(cron.nextSlot),
  ],
);

/** The whole prompts of the crons whose row has only the start. */
export const cronPrompts = sqliteTable("cron_prompts", {
  cronId: text().primaryKey(),
  prompt: text().notNull(),
});

/** The projects of each cron. Their names are read from the projects themselves. */
export const cronProjects = sqliteTable(
  "cron_projects",
  {
    cronId: text().notNull(),
    projectId: text().notNull(),
    pausedAt: integer(),
    pausedReason: text(),
    lastRunStatus: text({ enum: cronRunStatuses }),
  },
  (project) => [
    primaryKey({ columns: [project.cronId, project.projectId] }),
    index("cron_projects_by_project").on(project.projectId),
  ],
);

export const cronRuns = sqliteTable(
  "cron_runs",
  {
    id: text().primaryKey(),
    cronId: text().notNull(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    /** The project's name at the time of the fire. */
    projectName: text().notNull(),
    /** Null for a run that a person requested. */
    slot: integer(),
    status: text({ enum: cronRunStatuses }).notNull(),
    summary: text(),
    error: text(),
    errorCode: text(),
    stopSource: text({ enum: runStopSources }),
    model: text(),
    /** True if the run has an object. */
    isOpened: integer({ mode: "boolean" }).notNull(),
    createdAt: integer().notNull(),
    startedAt: integer(),
    completedAt: integer(),
  },
  (run) => [
    index("cron_runs_by_cron").on(run.cronId, run.createdAt, run.id),
    index("cron_runs_by_status").on(run.cronId, run.status, run.createdAt, run.id),
    index("cron_runs_by_project").on(run.cronId, run.projectId, run.status, run.createdAt, run.id),
    uniqueIndex("cron_runs_by_slot").on(run.cronId, run.projectId, run.slot),
    // For the sweep, and for a Deploy that makes another sandbox live.
    index("cron_runs_unfinished").on(run.createdAt, run.projectId).where(sql`status = 'running'`),
  ],
);

/**
 * The number of a cron's runs by project and status, so that totals do not read the runs
 * themselves.
 */
export const cronRunCounts = sqliteTable(
  "cron_run_counts",
  {
    cronId: text().notNull(),
    projectId: text().notNull(),
    status: text({ enum: cronRunStatuses }).notNull(),
    runs: integer().notNull(),
  },
  (counted) => [primaryKey({ columns: [counted.cronId, counted.projectId, counted.status] })],
);
