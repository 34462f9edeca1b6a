// Main sandboxes of live projects that have slept for long.

export interface UnusedMain {
  projectId: string;
  workspaceId: string;
  mainSandboxKey: string;
}

/** The live projects whose main sandbox has slept since `before`, in the order of their ids, after one. */
export async function unusedMains(
  database: D1Database,
  before: number,
  after: string,
  limit: number,
): Promise<UnusedMain[]> {
  const { results } = await database
    .prepare(
      `SELECT p.id AS projectId, p.workspace_id AS workspaceId, p.main_sandbox_key AS mainSandboxKey FROM projects p
       WHERE p.is_live = 1 AND p.is_main_reclaimed = 0 AND p.main_slept_at < ?1
         AND NOT EXISTS (SELECT 1 FROM sandbox_slots l WHERE l.sandbox_key = p.main_sandbox_key)
         AND +p.id > ?2
       ORDER BY +p.id LIMIT ?3`,
    )
    .bind(before, after, limit)
    .all<UnusedMain>();
  return results;
}

/** Notes since when a main sandbox sleeps. Nothing for one that is not the project's any more. */
export async function noteMainSleeps(
  database: D1Database,
  { projectId, mainSandboxKey }: Pick<UnusedMain, "projectId" | "mainSandboxKey">,
  since: number,
): Promise<void> {
  await database
    .prepare("UPDATE projects SET main_slept_at = ?3 WHERE id = ?1 AND main_sandbox_key = ?2")
    .bind(projectId, mainSandboxKey, since)
    .run();
}
