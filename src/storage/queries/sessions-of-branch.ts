// The sessions that a branch at the code host concerns: the one that works on it, and those that have it as Target Branch. CROSS JOIN keeps
// SQLite from reordering the tables, so that only the rows of these sessions are read.

interface Ids {
  id: string;
}

/** The sessions that work on one of the branches of a repository `owner/name`. */
export async function sessionsOnBranches(
  database: D1Database,
  repository: string,
  branches: string[],
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT s.id FROM sessions s CROSS JOIN projects p ON p.id = s.project_id
       WHERE s.branch IN (SELECT value FROM json_each(?2)) AND p.repository = ?1 COLLATE NOCASE`,
    )
    .bind(repository, JSON.stringify(branches))
    .all<Ids>();
  return results.map(({ id }) => id);
}

interface Push {
  repository: string;
  branch: string;
  /** A forced push can remove commits from the branch. */
  isForced: boolean;
}

/** The open sessions whose distance to their Target Branch a push may change, most recently changed first. */
export async function sessionsAffectedByPush(database: D1Database, push: Push, atMost: number): Promise<string[]> {
  // A session that is behind stays behind when its Target Branch advances, unless that push was forced.
  const { results } = await database
    .prepare(
      `SELECT id FROM (
         SELECT s.id, s.updated_at FROM sessions s CROSS JOIN projects p ON p.id = s.project_id
         WHERE s.branch = ?2 AND p.repository = ?1 COLLATE NOCASE AND s.status IN ('active', 'under-review')
         UNION
         SELECT s.id, s.updated_at FROM projects p CROSS JOIN sessions s ON s.project_id = p.id
         WHERE p.repository = ?1 COLLATE NOCASE AND s.target_branch = ?2 AND s.status IN ('active', 'under-review')
           AND s.branch IS NOT NULL AND (s.is_behind = 0 OR ?3))
       ORDER BY updated_at DESC LIMIT ?4`,
    )
    .bind(push.repository, push.branch, push.isForced ? 1 : 0, atMost)
    .all<Ids>();
  return results.map(({ id }) => id);
}
