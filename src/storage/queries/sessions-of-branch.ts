// Which sessions a branch on the code host concerns: the one that works on it, and those that aim at it. Each join names the narrow table
// first and keeps that order, so that no more rows are read than there are such sessions.

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
  /** What was there before is not part of it any more. */
  isForced: boolean;
}

/** The open sessions that a push may bring behind their Target Branch, or up to it, those changed last first. */
export async function sessionsMovedBy(database: D1Database, push: Push, atMost: number): Promise<string[]> {
  // Whoever is behind stays so when the Target Branch goes on.
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
