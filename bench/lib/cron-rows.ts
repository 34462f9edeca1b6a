// Rows of crons and of runs, as many as a service has after a long time. They have no objects,
// because lists and reads need none.
import type { World } from "../../practice/local-service.ts";
import { cronsPerWorkspace } from "../../src/rules/limits.ts";

interface Draft {
  name: string;
  prompt: string;
  cronExpression: string;
}

const rowsPerStatement = 20_000;
/** Leaves room for crons that are created meanwhile. */
const ownAtMost = cronsPerWorkspace - 200;

/**
 * Replaces all crons with this many. The world's workspace gets as many of them as it may have.
 * Returns the ids of some of those.
 */
export async function createCrons(world: World, count: number, draft: Draft): Promise<string[]> {
  const { database, workspaceId, projectId, users } = world;
  for (const table of ["crons", "cron_projects", "cron_runs", "cron_run_counts"])
    await database.prepare(`DELETE FROM ${table}`).run();
  const idSql = "printf('00000000-0000-7000-8000-%012d', n)";
  for (let first = 0; first < count; first += rowsPerStatement) {
    const numbers = `WITH RECURSIVE past(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM past WHERE n + 1 < ?2)`;
    const range = [first, Math.min(first + rowsPerStatement, count)];
    const { name, prompt, cronExpression } = draft;
    await database.batch([
      database
        .prepare(
          `${numbers} INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, enabled, created_by, search_text, created_at, updated_at)
           SELECT ${idSql}, iif(n < ?3, ?4, 'ws_bench_' || (n % 100)), ?5, ?6, ?7, 0, ?8, lower(?5 || ?6), n, n FROM past`,
        )
        .bind(...range, ownAtMost, workspaceId, name, prompt, cronExpression, users.owner.id),
      database
        .prepare(
          `${numbers} INSERT INTO cron_projects (cron_id, project_id) SELECT ${idSql}, iif(n < ?3, ?4, 'project-' || (n % 100)) FROM past`,
        )
        .bind(...range, ownAtMost, projectId),
    ]);
  }
  const some = database.prepare("SELECT id FROM crons WHERE workspace_id = ?1 LIMIT 10").bind(workspaceId);
  return (await some.all<{ id: string }>()).results.map(({ id }) => id);
}

/**
 * Gives a cron runs of half a minute, in the world's project and in another one. One in a hundred
 * failed.
 */
export async function createRuns(world: World, cronId: string, count: number): Promise<void> {
  const { database, workspaceId, projectId } = world;
  for (let first = 0; first < count; first += rowsPerStatement)
    await database
      .prepare(
        `WITH RECURSIVE past(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM past WHERE n + 1 < ?2)
         INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, slot, status, summary, error, is_opened, created_at,
           started_at, completed_at)
         SELECT lower(hex(randomblob(16))), ?3, ?4, iif(n % 2, 'another project', ?5), 'Demo app', n, iif(n % 100 = 7, 'failed', 'succeeded'),
           'Two errors in the log of the web service; one session filed.', NULL, 1, n * 900000, n * 900000, n * 900000 + 30000 FROM past`,
      )
      .bind(first, Math.min(first + rowsPerStatement, count), cronId, workspaceId, projectId)
      .run();
}
