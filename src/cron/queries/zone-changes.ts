// Timezone changes of workspaces for which some crons have not yet planned again. Each change is
// the mark of a sweep, with the last cron that has planned.

const prefix = "timezone of ";

/** A change, and some of the crons that have not yet planned for it, ordered by id. */
export interface ZoneChange {
  sweep: string;
  at: number;
  /** Null if the workspace is gone. */
  zone: string | null;
  cronIds: string[];
}

/** Records that a workspace has another timezone. The sweep starts again at its first cron. */
export async function recordZoneChange(database: D1Database, workspaceId: string, at: number): Promise<void> {
  await database
    .prepare(
      `INSERT INTO sweep_marks (sweep, at, cursor) VALUES (?1, ?2, '')
       ON CONFLICT (sweep) DO UPDATE SET at = max(at + 1, excluded.at), cursor = ''`,
    )
    .bind(prefix + workspaceId, at)
    .run();
}

/** The next change; null if every cron has planned. */
export async function findNextZoneChange(database: D1Database, atMost: number): Promise<ZoneChange | null> {
  const row = await database
    .prepare(
      `SELECT m.sweep, m.at, (SELECT w.timezone FROM workspaces w WHERE w.id = substr(m.sweep, ?2)) AS zone,
         (SELECT json_group_array(id) FROM (SELECT c.id FROM crons c
           WHERE c.workspace_id = substr(m.sweep, ?2) AND +c.id > m.cursor ORDER BY +c.id LIMIT ?3)) AS cronIds
       FROM sweep_marks m WHERE m.sweep >= ?1 AND m.sweep < ?1 || '~' ORDER BY m.at LIMIT 1`,
    )
    .bind(prefix, prefix.length + 1, atMost)
    .first<Omit<ZoneChange, "cronIds"> & { cronIds: string }>();
  return row && { ...row, cronIds: JSON.parse(row.cronIds) };
}

/**
 * Saves the last cron that has planned, or deletes the change once all crons have. A newer change
 * is not touched.
 */
export async function saveZoneChange(
  database: D1Database,
  { sweep, at }: Pick<ZoneChange, "sweep" | "at">,
  last: string | null,
): Promise<void> {
  const statement =
    last === null
      ? database.prepare("DELETE FROM sweep_marks WHERE sweep = ?1 AND at = ?2").bind(sweep, at)
      : database.prepare("UPDATE sweep_marks SET cursor = ?3 WHERE sweep = ?1 AND at = ?2").bind(sweep, at, last);
  await statement.run();
}
