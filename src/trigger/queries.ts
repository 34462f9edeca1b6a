// Reads and writes the triggers of projects and their runs.
import { and, count, desc, eq } from "drizzle-orm";
import { toDrizzle } from "../storage/database.ts";
import type { outcomes, SkipReason } from "./rules/outcome.ts";
import type { Trigger } from "./rules/trigger.ts";
import { triggerRuns, triggers } from "./tables.ts";

export interface ProjectTriggers {
  /** 0 for a project that has never set triggers. */
  version: number;
  triggers: Trigger[];
}

/** The triggers of a project. */
export async function findTriggers(database: D1Database, projectId: string): Promise<ProjectTriggers> {
  const row = await toDrizzle(database).select().from(triggers).where(eq(triggers.projectId, projectId)).get();
  return row ? { version: row.version, triggers: row.triggers } : { version: 0, triggers: [] };
}

/** Replaces the triggers of a project. False if they were changed since this version. */
export async function writeTriggers(
  database: D1Database,
  { projectId, version, triggers }: ProjectTriggers & { projectId: string },
): Promise<boolean> {
  const { meta } = await database
    .prepare(
      `INSERT INTO triggers (project_id, version, triggers) SELECT ?1, ?2 + 1, ?3
       WHERE ?2 = 0 OR EXISTS (SELECT 1 FROM triggers WHERE project_id = ?1)
       ON CONFLICT (project_id) DO UPDATE SET version = excluded.version, triggers = excluded.triggers
       WHERE triggers.version = ?2`,
    )
    .bind(projectId, version, JSON.stringify(triggers))
    .run();
  return meta.changes > 0;
}

export type TriggerRun = typeof triggerRuns.$inferSelect;
type NewRun = Omit<TriggerRun, "outcome" | "reason">;

const dayMs = 24 * 60 * 60_000;

/**
 * Records a run once for its cause, and returns it. A run that is one too many in 24 hours is
 * recorded as skipped.
 */
export async function claimTriggerRun(
  database: D1Database,
  run: NewRun,
  perDay: number,
): Promise<Pick<TriggerRun, "id" | "outcome"> | null> {
  const { id, projectId, triggerId, triggerName, cause, url, sessionId, createdAt } = run;
  const [, found] = await database.batch<Pick<TriggerRun, "id" | "outcome">>([
    database
      .prepare(
        `INSERT INTO trigger_runs (id, project_id, trigger_id, trigger_name, cause, url, session_id, created_at, outcome, reason)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, iif(d.sent < ?9, NULL, 'skipped'), iif(d.sent < ?9, NULL, 'cap_day')
         FROM (SELECT count(*) AS sent FROM trigger_runs
           WHERE trigger_id = ?3 AND created_at > ?10 AND outcome IS NOT 'skipped') d
         WHERE true ON CONFLICT (trigger_id, cause) DO NOTHING`,
      )
      .bind(id, projectId, triggerId, triggerName, cause, url, sessionId, createdAt, perDay, createdAt - dayMs),
    database
      .prepare("SELECT id, outcome FROM trigger_runs WHERE trigger_id = ?1 AND cause = ?2")
      .bind(triggerId, cause),
  ]);
  return found?.results[0] ?? null;
}

/** Records the end of a run. */
export async function endTriggerRun(
  database: D1Database,
  id: string,
  end: { outcome: (typeof outcomes)[number]; reason: SkipReason | null },
): Promise<void> {
  await toDrizzle(database).update(triggerRuns).set(end).where(eq(triggerRuns.id, id)).run();
}

/** The runs of a project, newest first. `page` counts from 1. */
export async function listTriggerRuns(
  database: D1Database,
  {
    projectId,
    triggerId,
    page,
    pageSize,
  }: { projectId: string; triggerId?: string | undefined; page: number; pageSize: number },
): Promise<{ runs: TriggerRun[]; total: number }> {
  const db = toDrizzle(database);
  const wanted = and(
    eq(triggerRuns.projectId, projectId),
    triggerId === undefined ? undefined : eq(triggerRuns.triggerId, triggerId),
  );
  const [runs, counted] = await db.batch([
    db
      .select()
      .from(triggerRuns)
      .where(wanted)
      .orderBy(desc(triggerRuns.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.select({ total: count() }).from(triggerRuns).where(wanted),
  ]);
  return { runs, total: counted[0]?.total ?? 0 };
}

/** Deletes a page of runs that started before a time. Returns how many. */
export async function deleteOldTriggerRuns(database: D1Database, before: number, atMost: number): Promise<number> {
  const { meta } = await database
    .prepare(
      "DELETE FROM trigger_runs WHERE rowid IN (SELECT rowid FROM trigger_runs WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
    )
    .bind(before, atMost)
    .run();
  return meta.changes;
}
