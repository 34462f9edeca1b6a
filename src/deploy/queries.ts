// The state of a project's Deploy in its row, and the promotion that makes another sandbox the live
// one.
import type { ProviderId } from "../model/rules/provider.ts";
import type { ProjectSettings, StoredValue } from "../project/rules/settings.ts";

export interface DeployStanding {
  projectId: string;
  deployStatus: string;
  isLive: boolean;
  holdsSessionsUp: boolean;
  isMainReclaimed: boolean;
}

/** Writes the state of the Deploy. Safe to repeat. */
export async function indexDeploy(database: D1Database, standing: DeployStanding): Promise<void> {
  const { projectId, deployStatus, isLive, holdsSessionsUp, isMainReclaimed } = standing;
  await database
    .prepare(
      "UPDATE projects SET deploy_status = ?2, is_live = ?3, holds_sessions_up = ?4, is_main_reclaimed = ?5 WHERE id = ?1",
    )
    .bind(projectId, deployStatus, isLive, holdsSessionsUp, isMainReclaimed)
    .run();
}

export interface Promotion {
  projectId: string;
  sandboxKey: string;
  /** The stored settings as they were read. The promotion fails if they have changed since then. */
  read: string;
  settings: ProjectSettings<StoredValue>;
  settingsKey: string;
  now: number;
}

/**
 * Makes a sandbox the live one: its key, its settings and the main preview's share link change
 * together. Returns false and changes nothing if the settings have changed since they were read.
 * Safe to repeat.
 */
export async function promoteSandbox(database: D1Database, promotion: Promotion): Promise<boolean> {
  const { projectId, sandboxKey, read, settings, settingsKey, now } = promotion;
  const [, promoted] = await database.batch([
    // The link of an earlier main sandbox would keep the main preview's link from its place.
    database
      .prepare(
        `DELETE FROM share_links WHERE project_id = ?1 AND session_id IS NULL
         AND sandbox_key <> (SELECT main_sandbox_key FROM projects WHERE id = ?1 AND settings = ?2)`,
      )
      .bind(projectId, read),
    database
      .prepare(
        `UPDATE projects SET main_sandbox_key = ?2, settings = ?4, settings_key = ?5, updated_at = ?6, is_live = 1, holds_sessions_up = 0,
           is_main_reclaimed = 0
         WHERE id = ?1 AND settings = ?3 RETURNING id`,
      )
      .bind(projectId, sandboxKey, read, JSON.stringify(settings), settingsKey, now),
    database
      .prepare(
        `UPDATE share_links SET sandbox_key = ?2 WHERE project_id = ?1 AND session_id IS NULL
         AND EXISTS (SELECT 1 FROM projects WHERE id = ?1 AND main_sandbox_key = ?2)`,
      )
      .bind(projectId, sandboxKey),
  ]);
  return promoted !== undefined && promoted.results.length > 0;
}

/** The providers for which a workspace has working credentials. */
export async function listWorkspaceProviders(
  database: D1Database,
  workspaceId: string,
): Promise<ReadonlySet<ProviderId>> {
  const { results } = await database
    .prepare(
      "SELECT provider FROM provider_logins WHERE owner_type = 'workspace' AND owner_id = ?1 AND needs_reauth = 0",
    )
    .bind(workspaceId)
    .all<{ provider: ProviderId }>();
  return new Set(results.map(({ provider }) => provider));
}

/** Main sandboxes of live projects that have been asleep for a long time. */
export interface UnusedMain {
  projectId: string;
  workspaceId: string;
  mainSandboxKey: string;
}

/**
 * The live projects whose main sandbox has been asleep since `before`, ordered by id, after a given
 * one. Without those of suspended workspaces, of which nothing is deleted.
 */
export async function listUnusedMains(
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
         AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = p.workspace_id AND w.suspended_at IS NOT NULL)
         AND +p.id > ?2
       ORDER BY +p.id LIMIT ?3`,
    )
    .bind(before, after, limit)
    .all<UnusedMain>();
  return results;
}

/**
 * Records since when a main sandbox has been asleep. Does nothing for a sandbox that no longer
 * belongs to the project.
 */
export async function recordMainAsleep(
  database: D1Database,
  { projectId, mainSandboxKey }: Pick<UnusedMain, "projectId" | "mainSandboxKey">,
  since: number,
): Promise<void> {
  await database
    .prepare("UPDATE projects SET main_slept_at = ?3 WHERE id = ?1 AND main_sandbox_key = ?2")
    .bind(projectId, mainSandboxKey, since)
    .run();
}
