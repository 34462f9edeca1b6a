// The rows of cron runs. A run's row is written when the run opens or when its fire refuses it, and
// updated once when the run ends.

import type { NeedsYouReason } from "../../session/rules/needs-you.ts";
import type { SessionStatus } from "../../session/rules/status.ts";
import type { CronRun } from "../rules/run.ts";
import type { CronRunStatus, EndedRun, NewRun } from "../rules/run-status.ts";
import type { cronRuns } from "../tables.ts";

export type CronRunRow = typeof cronRuns.$inferSelect;

/** The columns of a run, named as the fields of its row. */
const runColumns = `r.id, r.cron_id AS cronId, r.workspace_id AS workspaceId, r.project_id AS projectId, r.project_name AS projectName,
  r.slot, r.status, r.summary, r.error, r.error_code AS errorCode, r.stop_source AS stopSource, r.model, r.is_opened AS isOpened,
  r.created_at AS createdAt, r.started_at AS startedAt, r.completed_at AS completedAt`;

interface OfCron {
  cronId: string;
  workspaceId: string;
}

/** The statement that records opened runs. Safe to repeat. */
export function getOpenedRunsStatement(database: D1Database, of: OfCron, runs: readonly NewRun[]): D1PreparedStatement {
  const rows = runs.map((run) => ({ ...run, id: run.runId, status: "running", isOpened: 1, startedAt: run.createdAt }));
  return insertion(database, of, rows);
}

/** The statement that records runs that never opened. Safe to repeat. */
export function getRefusedRunsStatement(
  database: D1Database,
  of: OfCron,
  runs: readonly EndedRun[],
): D1PreparedStatement {
  const rows = runs.map((run) => ({ ...run, id: run.runId, isOpened: 0 }));
  return insertion(database, of, rows);
}

/** Records nothing for a cron that has been deleted. */
function insertion(
  database: D1Database,
  { cronId, workspaceId }: OfCron,
  rows: readonly object[],
): D1PreparedStatement {
  const column = (name: string) => `value ->> '${name}'`;
  return database
    .prepare(
      `INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, slot, status, summary, error, error_code, model, is_opened,
         created_at, started_at, completed_at)
       SELECT ${column("id")}, ?1, ?2, ${["projectId", "projectName", "slot", "status", "summary", "error", "errorCode"].map(column).join(", ")},
         ${["model", "isOpened", "createdAt", "startedAt", "completedAt"].map(column).join(", ")}
       FROM json_each(?3) WHERE EXISTS (SELECT 1 FROM crons c WHERE c.id = ?1) ON CONFLICT DO NOTHING`,
    )
    .bind(cronId, workspaceId, JSON.stringify(rows));
}

/**
 * The statements that record the end of a run and revoke its key. Safe to repeat. A run may end
 * before its opening is recorded, if the database was unavailable for that long.
 */
export function getRunEndStatements(database: D1Database, run: CronRun, summary: string | null): D1PreparedStatement[] {
  return [
    getOpenedRunsStatement(database, run, [{ ...run, runId: run.id, slot: run.slot ?? null }]),
    database
      .prepare(
        `UPDATE cron_runs SET status = ?2, summary = ?3, error = ?4, error_code = ?5, stop_source = ?6, completed_at = ?7, is_opened = 1
         WHERE id = ?1`,
      )
      .bind(run.id, run.status, summary, run.error, run.errorCode, run.stopSource, run.completedAt),
    database.prepare("DELETE FROM keys WHERE turn_id = ?1").bind(run.id),
  ];
}

/** A run; null for an unknown id. */
export async function findRun(database: D1Database, id: string): Promise<CronRunRow | null> {
  return await database.prepare(`SELECT ${runColumns} FROM cron_runs r WHERE r.id = ?1`).bind(id).first<CronRunRow>();
}

export interface RunListQuery {
  cronId: string;
  /** Matches any of these; empty matches all. */
  projectIds: readonly string[];
  statuses: readonly CronRunStatus[];
  page: number;
  pageSize: number;
}

/**
 * One page of a cron's runs, newest first, with the number of runs that match the filters and the
 * number of those that failed. Totals are stored, not counted.
 */
export async function listRuns(
  database: D1Database,
  { cronId, projectIds, statuses, page, pageSize }: RunListQuery,
): Promise<{ runs: CronRunRow[]; total: number; failed: number }> {
  const [projects, kept] = [JSON.stringify(projectIds), JSON.stringify(statuses)];
  const where = (table: string) => [
    `${table}.cron_id = ?1`,
    ...getAnyOfSql(`${table}.project_id`, projectIds, "?2"),
    ...getAnyOfSql(`${table}.status`, statuses, "?3"),
  ];
  const [counted, rows] = await database.batch([
    database
      .prepare(
        `SELECT coalesce(sum(k.runs), 0) AS total, coalesce(sum(iif(k.status = 'failed', k.runs, 0)), 0) AS failed
         FROM cron_run_counts k WHERE ${where("k").join(" AND ")} AND ?2 IS NOT NULL AND ?3 IS NOT NULL`,
      )
      .bind(cronId, projects, kept),
    database
      .prepare(
        `SELECT ${runColumns} FROM cron_runs r WHERE ${where("r").join(" AND ")} AND ?2 IS NOT NULL AND ?3 IS NOT NULL
         ORDER BY r.created_at DESC, r.id DESC LIMIT ?4 OFFSET ?5`,
      )
      .bind(cronId, projects, kept, pageSize, (page - 1) * pageSize),
  ]);
  const totals = counted?.results[0] as { total: number; failed: number } | undefined;
  const { total = 0, failed = 0 } = totals ?? {};
  return { runs: (rows?.results ?? []) as unknown as CronRunRow[], total, failed };
}

/**
 * The condition that a column has one of the values in a parameter, which holds them as JSON. Empty
 * if there are no values.
 */
function getAnyOfSql(column: string, values: readonly string[], parameter: string): string[] {
  if (values.length === 0) return [];
  // With one value, the index returns the rows in order. With more, all matching rows are sorted.
  return [
    values.length === 1 ? `${column} = ${parameter} ->> 0` : `${column} IN (SELECT value FROM json_each(${parameter}))`,
  ];
}

/** A session that a run filed in the Backlog. */
export interface FiledSession {
  id: string;
  projectId: string;
  title: string;
  status: SessionStatus;
  needsYou: NeedsYouReason | null;
}

/** The sessions that a run filed and that still exist, oldest first. */
export async function listFiledSessions(database: D1Database, runId: string): Promise<FiledSession[]> {
  const { results } = await database
    .prepare(
      `SELECT s.id, s.project_id AS projectId, s.title, s.status, s.needs_you AS needsYou FROM sessions s
       WHERE s.filed_run_id = ?1 ORDER BY s.created_at, s.id`,
    )
    .bind(runId)
    .all<FiledSession>();
  return results;
}

/** The model that a run started with; null for a run that is gone or never had a model. */
export async function findRunModel(database: D1Database, runId: string): Promise<string | null> {
  return await database.prepare("SELECT r.model FROM cron_runs r WHERE r.id = ?1").bind(runId).first<string>("model");
}

/** Runs that started before a time and have not ended. */
export async function listUnfinishedRuns(
  database: D1Database,
  { before, after, atMost }: { before: number; after: string; atMost: number },
): Promise<string[]> {
  return await listIds(
    database
      .prepare(
        `SELECT r.id FROM cron_runs r WHERE r.status = 'running' AND r.created_at < ?1 AND +r.id > ?2 ORDER BY +r.id LIMIT ?3`,
      )
      .bind(before, after, atMost),
  );
}

/** The unfinished runs in a project. */
export async function listProjectRuns(database: D1Database, projectId: string): Promise<string[]> {
  return await listIds(
    database
      .prepare(
        "SELECT r.id FROM cron_runs r INDEXED BY cron_runs_unfinished WHERE r.status = 'running' AND r.project_id = ?1",
      )
      .bind(projectId),
  );
}

/** A run that will be deleted. */
export interface RunLeft {
  id: string;
  /** 1 if the run has an object, else 0. */
  isOpened: number;
  createdAt: number;
}

/**
 * Some of a cron's runs after a given one, oldest first. With `before`, only ended runs that are
 * older.
 */
export async function listRemainingRuns(
  database: D1Database,
  cronId: string,
  { after, before, atMost }: { after: RunLeft | null; before: number | null; atMost: number },
): Promise<RunLeft[]> {
  const { results } = await database
    .prepare(
      `SELECT r.id, r.is_opened AS isOpened, r.created_at AS createdAt FROM cron_runs r
       WHERE r.cron_id = ?1 AND (r.created_at, r.id) > (?2, ?3) AND (?5 IS NULL OR (r.created_at < ?5 AND r.status <> 'running'))
       ORDER BY r.created_at, r.id LIMIT ?4`,
    )
    .bind(cronId, after?.createdAt ?? -1, after?.id ?? "", atMost, before)
    .all<RunLeft>();
  return results;
}

/** Deletes the rows of a cron's runs, and subtracts them from its counts. Idempotent. */
export async function deleteRunRows(database: D1Database, cronId: string, runIds: readonly string[]): Promise<void> {
  const these = "r.id IN (SELECT value FROM json_each(?2))";
  await database.batch([
    database
      .prepare(
        `UPDATE cron_run_counts SET runs = runs - (SELECT count(*) FROM cron_runs r WHERE ${these} AND r.cron_id = ?1
           AND r.project_id = cron_run_counts.project_id AND r.status = cron_run_counts.status) WHERE cron_id = ?1`,
      )
      .bind(cronId, JSON.stringify(runIds)),
    database
      .prepare(`DELETE FROM cron_runs AS r WHERE r.cron_id = ?1 AND ${these}`)
      .bind(cronId, JSON.stringify(runIds)),
  ]);
}

/** Deletes what is stored for a deleted cron besides its runs. Idempotent. */
export async function deleteCronTraces(database: D1Database, cronId: string): Promise<void> {
  await database.prepare("DELETE FROM cron_run_counts WHERE cron_id = ?1").bind(cronId).run();
}

async function listIds(statement: D1PreparedStatement): Promise<string[]> {
  return (await statement.all<{ id: string }>()).results.map(({ id }) => id);
}
