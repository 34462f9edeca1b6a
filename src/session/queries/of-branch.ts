// The sessions of a branch at the code host: those that work on it, and those with it as Target
// Branch. CROSS JOIN keeps SQLite from reordering the tables, so that only the rows of these
// sessions are read.

interface Ids {
  id: string;
}

/**
 * The repository of a webhook. A project is compared by its repository id, or by name while the id
 * is not known.
 */
interface NamedRepository {
  repository: string;
  repositoryId: number;
}

const ofRepository = "(p.repository_id = ?1 OR (p.repository_id IS NULL AND p.repository = ?2 COLLATE NOCASE))";
/**
 * The same projects. Each half uses its own index: in a larger query, SQLite reads every project
 * for an OR.
 */
const projectsOfRepository = `(SELECT id FROM projects WHERE repository_id = ?1
  UNION ALL SELECT id FROM projects WHERE +repository_id IS NULL AND repository = ?2 COLLATE NOCASE)`;

/** The sessions that work on one of the branches of a repository. */
export async function listSessionsOnBranches(
  database: D1Database,
  { repository, repositoryId }: NamedRepository,
  branches: string[],
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT s.id FROM sessions s CROSS JOIN projects p ON p.id = s.project_id
       WHERE s.branch IN (SELECT value FROM json_each(?3)) AND ${ofRepository}`,
    )
    .bind(repositoryId, repository, JSON.stringify(branches))
    .all<Ids>();
  return results.map(({ id }) => id);
}

/**
 * The open session that owns a pull request in a project; null without one. With its `branch`, also
 * a session on this branch whose pull request is not recorded yet.
 */
export async function findSessionOfPullRequest(
  database: D1Database,
  projectId: string,
  { number, branch = null }: { number: number; branch?: string | null },
): Promise<string | null> {
  return await database
    .prepare(
      `SELECT id FROM sessions WHERE project_id = ?1 AND status IN ('active', 'under-review')
         AND (pr_number = ?2 OR (pr_number IS NULL AND branch = ?3))
       ORDER BY pr_number IS NULL, updated_at DESC LIMIT 1`,
    )
    .bind(projectId, number, branch)
    .first<string>("id");
}

interface Push extends NamedRepository {
  branch: string;
  /** A forced push can drop commits from the branch. */
  isForced: boolean;
}

/**
 * The open sessions whose distance to their Target Branch a push may change, most recently changed
 * first.
 */
export async function listSessionsAffectedByPush(database: D1Database, push: Push, atMost: number): Promise<string[]> {
  // A session that is behind stays behind when its Target Branch advances, unless that push was
  // forced.
  const { results } = await database
    .prepare(
      `SELECT id FROM (
         SELECT s.id, s.updated_at FROM sessions s CROSS JOIN projects p ON p.id = s.project_id
         WHERE s.branch = ?3 AND ${ofRepository} AND s.status IN ('active', 'under-review')
         UNION
         SELECT s.id, s.updated_at FROM ${projectsOfRepository} p CROSS JOIN sessions s ON s.project_id = p.id
         WHERE s.target_branch = ?3 AND s.status IN ('active', 'under-review')
           AND s.branch IS NOT NULL AND (s.is_behind = 0 OR ?4))
       ORDER BY updated_at DESC LIMIT ?5`,
    )
    .bind(push.repositoryId, push.repository, push.branch, push.isForced ? 1 : 0, atMost)
    .all<Ids>();
  return results.map(({ id }) => id);
}
