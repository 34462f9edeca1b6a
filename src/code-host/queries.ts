// The repositories of projects: their names and ids at the code host. A name can change and be
// reused; an id cannot.
import type { RepositoryRef } from "../project/rules/repository.ts";

/**
 * Records a repository as the code host reports it: its ids for projects without ids, its current
 * name for projects with its id.
 */
export async function recordRepository(
  database: D1Database,
  asked: RepositoryRef,
  found: RepositoryRef,
): Promise<void> {
  const { repository, installationId, repositoryId } = found;
  if (asked.repositoryId !== null) {
    if (asked.repository === repository && asked.installationId === installationId) return;
    await database
      .prepare("UPDATE projects SET repository = ?1, installation_id = ?2 WHERE repository_id = ?3")
      .bind(repository, installationId, repositoryId)
      .run();
    return;
  }
  await database
    .prepare(
      `UPDATE projects SET installation_id = ?1, repository_id = ?2
       WHERE repository = ?3 COLLATE NOCASE AND repository_id IS NULL`,
    )
    .bind(installationId, repositoryId, asked.repository)
    .run();
}

/** Applies a rename that the code host has reported. */
export async function updateRepositoryName(
  database: D1Database,
  { repository, repositoryId }: { repository: string; repositoryId: number },
): Promise<void> {
  await database
    .prepare("UPDATE projects SET repository = ?1 WHERE repository_id = ?2")
    .bind(repository, repositoryId)
    .run();
}

/** The live projects of a repository with this Target Branch. */
export async function listProjectsOnTarget(
  database: D1Database,
  { repository, repositoryId, branch }: { repository: string; repositoryId: number; branch: string },
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT id FROM projects WHERE repository_id = ?1 AND target_branch = ?3 AND is_live
       UNION ALL
       SELECT id FROM projects
       WHERE +repository_id IS NULL AND repository = ?2 COLLATE NOCASE AND target_branch = ?3 AND is_live`,
    )
    .bind(repositoryId, repository, branch)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** The repository of a webhook as a project stores it; null if no project has it. */
export async function findRepositoryOfProjects(
  database: D1Database,
  { repository, repositoryId }: { repository: string; repositoryId: number },
): Promise<RepositoryRef | null> {
  return await database
    .prepare(
      `SELECT repository, installation_id AS installationId, repository_id AS repositoryId FROM projects
       WHERE repository_id = ?2 OR (repository_id IS NULL AND repository = ?1 COLLATE NOCASE)
       ORDER BY repository_id IS NULL LIMIT 1`,
    )
    .bind(repository, repositoryId)
    .first<RepositoryRef>();
}

/** The projects of a repository that have triggers. */
export async function listProjectsWithTriggers(
  database: D1Database,
  { repository, repositoryId }: { repository: string; repositoryId: number },
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT p.id FROM projects p JOIN triggers t ON t.project_id = p.id WHERE p.repository_id = ?1
       UNION ALL
       SELECT p.id FROM projects p JOIN triggers t ON t.project_id = p.id
       WHERE +p.repository_id IS NULL AND p.repository = ?2 COLLATE NOCASE`,
    )
    .bind(repositoryId, repository)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
