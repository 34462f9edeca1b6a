// Prebuild layers: those of a project, that of a sandbox, and the unused ones. A prebuild in use is
// never deleted, because a sandbox takes a prebuild in the same statement that checks that the
// prebuild exists.

export interface PrebuildKey {
  projectId: string;
  /** Identifies one commit. Prebuilds with the same fingerprint are interchangeable. */
  fingerprint: string;
  /** The same for every commit. A prebuild with the same recipe can be moved to another commit. */
  recipe: string;
}

/** The prebuild of a sandbox and how it was made. Times are in milliseconds since the epoch. */
export interface StoredPrebuild {
  id: string;
  madeAt: number;
  /** When its checkout was originally cloned. */
  clonedAt: number;
}

/** A prebuild of this commit, otherwise the newest one that can be moved to it. */
const fitting = `project_id = ?1 AND state = 'ready' AND (fingerprint = ?2 OR recipe = ?3)
  ORDER BY fingerprint = ?2 DESC, id DESC LIMIT 1`;

/**
 * Records that a sandbox uses the fitting prebuild, and returns its id. Null if no prebuild fits.
 */
export async function claimPrebuild(
  database: D1Database,
  sandboxKey: string,
  prebuild: PrebuildKey,
): Promise<string | null> {
  return await database
    .prepare(
      `INSERT INTO base_users (sandbox_key, base_id) SELECT ?4, id FROM sandbox_bases WHERE ${fitting}
       ON CONFLICT (sandbox_key) DO UPDATE SET base_id = excluded.base_id, moved_to = NULL RETURNING base_id`,
    )
    .bind(prebuild.projectId, prebuild.fingerprint, prebuild.recipe, sandboxKey)
    .first("base_id");
}

/**
 * Returns the fitting prebuild for a brief use, or null if none fits. It may be deleted at any
 * time.
 */
export async function findFittingPrebuild(
  database: D1Database,
  { projectId, fingerprint, recipe }: PrebuildKey,
): Promise<StoredPrebuild | null> {
  return await database
    .prepare(`SELECT ${madeColumns} FROM sandbox_bases WHERE ${fitting}`)
    .bind(projectId, fingerprint, recipe)
    .first<StoredPrebuild>();
}

const madeColumns = "id, created_at AS madeAt, coalesce(cloned_at, created_at) AS clonedAt";

/**
 * Records the commit that a sandbox has moved its prebuild to. Returns the prebuild and the number
 * of sandboxes that moved it to that commit; null without a prebuild.
 */
export async function recordPrebuildMove(
  database: D1Database,
  sandboxKey: string,
  commit: string,
): Promise<(StoredPrebuild & { moversHere: number }) | null> {
  const [, found] = await database.batch<StoredPrebuild & { moversHere: number }>([
    database.prepare("UPDATE base_users SET moved_to = ?2 WHERE sandbox_key = ?1").bind(sandboxKey, commit),
    database
      .prepare(
        `SELECT ${madeColumns}, (SELECT count(*) FROM base_users WHERE base_id = id AND moved_to = ?2) AS moversHere
         FROM sandbox_bases WHERE id = (SELECT base_id FROM base_users WHERE sandbox_key = ?1)`,
      )
      .bind(sandboxKey, commit),
  ]);
  return found?.results[0] ?? null;
}

/** Returns the id of the prebuild that a sandbox uses, or null. */
export async function findSandboxPrebuild(database: D1Database, sandboxKey: string): Promise<string | null> {
  return await database
    .prepare("SELECT base_id FROM base_users WHERE sandbox_key = ?1")
    .bind(sandboxKey)
    .first("base_id");
}

/** Ends a sandbox's use of its prebuild. Idempotent. */
export async function releasePrebuild(database: D1Database, sandboxKey: string): Promise<void> {
  await database.prepare("DELETE FROM base_users WHERE sandbox_key = ?1").bind(sandboxKey).run();
}

/**
 * Ends a sandbox's use of its prebuild. Returns whether its project has a prebuild to start from.
 */
export async function releasePrebuildToRestart(
  database: D1Database,
  sandboxKey: string,
  projectId: string,
): Promise<boolean> {
  const [, found] = await database.batch([
    database.prepare("DELETE FROM base_users WHERE sandbox_key = ?1").bind(sandboxKey),
    database.prepare("SELECT 1 FROM sandbox_bases WHERE project_id = ?1 AND state = 'ready' LIMIT 1").bind(projectId),
  ]);
  return found !== undefined && found.results.length > 0;
}

/** Claims the creation of a prebuild. False if the prebuild exists or is being made. */
export async function startPrebuild(
  database: D1Database,
  id: string,
  prebuild: PrebuildKey,
  now: number,
): Promise<boolean> {
  const started = await database
    .prepare(
      `INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at)
       VALUES (?1, ?2, ?3, ?4, 'making', ?5) ON CONFLICT DO NOTHING RETURNING id`,
    )
    .bind(id, prebuild.projectId, prebuild.fingerprint, prebuild.recipe, now)
    .first();
  return started !== null;
}

/**
 * Marks a prebuild as stored, so that sandboxes can take it. False if it was retired while it was
 * being made.
 */
export async function finishPrebuild(database: D1Database, id: string, clonedAt: number): Promise<boolean> {
  const finished = await database
    .prepare("UPDATE sandbox_bases SET state = 'ready', cloned_at = ?2 WHERE id = ?1 AND state = 'making'")
    .bind(id, clonedAt)
    .run();
  return finished.meta.changes > 0;
}

/** Marks a prebuild that could not be made. It is not retried for a while. */
export async function recordPrebuildFailure(database: D1Database, id: string): Promise<void> {
  await database.prepare("UPDATE sandbox_bases SET state = 'unmade' WHERE id = ?1 AND state = 'making'").bind(id).run();
}

/**
 * Retires a prebuild. New sandboxes do not use it, and another with its fingerprint may be made.
 */
export async function retirePrebuild(database: D1Database, id: string): Promise<void> {
  await database
    .prepare(
      "UPDATE sandbox_bases SET state = 'retired', fingerprint = id || ' ' || fingerprint WHERE id = ?1 AND state <> 'retired'",
    )
    .bind(id)
    .run();
}

/**
 * Records the prebuild that a main sandbox made of itself and uses. No other sandbox uses it until
 * it is released.
 */
export async function recordOwnPrebuild(
  database: D1Database,
  {
    sandboxKey,
    id,
    projectId,
    fingerprint,
    recipe,
    now,
  }: PrebuildKey & { sandboxKey: string; id: string; now: number },
): Promise<void> {
  await database.batch([
    database
      .prepare(
        `INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at, cloned_at)
         VALUES (?1, ?2, ?1 || ' ' || ?3, ?4, 'held', ?5, ?5) ON CONFLICT DO NOTHING`,
      )
      .bind(id, projectId, fingerprint, recipe, now),
    database
      .prepare(
        `INSERT INTO base_users (sandbox_key, base_id) VALUES (?1, ?2)
         ON CONFLICT (sandbox_key) DO UPDATE SET base_id = excluded.base_id, moved_to = NULL`,
      )
      .bind(sandboxKey, id),
  ]);
}

/**
 * The statement that lets new sandboxes start from the prebuild of a main sandbox that goes live,
 * unless another prebuild has the same fingerprint.
 */
export function releaseHeldPrebuild(database: D1Database, sandboxKey: string): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE OR IGNORE sandbox_bases SET state = 'ready', fingerprint = substr(fingerprint, length(id) + 2)
       WHERE state = 'held' AND id = (SELECT base_id FROM base_users WHERE sandbox_key = ?1)`,
    )
    .bind(sandboxKey);
}

/**
 * Retires prebuilds that a newer one of their project has replaced, and those that were never
 * finished.
 */
export async function retireOldPrebuilds(
  database: D1Database,
  { makingBefore, unmadeBefore }: { makingBefore: number; unmadeBefore: number },
): Promise<void> {
  const retire = "UPDATE sandbox_bases SET state = 'retired', fingerprint = id || ' ' || fingerprint";
  await database.batch([
    database.prepare(`${retire} WHERE state = 'making' AND created_at < ?1`).bind(makingBefore),
    database.prepare(`${retire} WHERE state = 'unmade' AND created_at < ?1`).bind(unmadeBefore),
    database.prepare(
      `${retire} WHERE state = 'ready' AND EXISTS (SELECT 1 FROM sandbox_bases AS newer
         WHERE newer.project_id = sandbox_bases.project_id AND newer.state = 'ready' AND newer.id > sandbox_bases.id)`,
    ),
  ]);
}

/**
 * Returns the prebuilds that no sandbox uses: retired ones, and those of main sandboxes that never
 * went live.
 */
export async function listUnusedPrebuilds(
  database: D1Database,
  after: string,
  limit: number,
): Promise<{ id: string; projectId: string }[]> {
  const { results } = await database
    .prepare(
      `SELECT id, project_id AS projectId FROM sandbox_bases
       WHERE state IN ('retired', 'held') AND NOT EXISTS (SELECT 1 FROM base_users WHERE base_id = sandbox_bases.id)
         AND +id > ?1 ORDER BY +id LIMIT ?2`,
    )
    .bind(after, limit)
    .all<{ id: string; projectId: string }>();
  return results;
}

/** Deletes the row of a prebuild whose layer has been deleted. */
export async function deletePrebuild(database: D1Database, id: string): Promise<void> {
  await database.prepare("DELETE FROM sandbox_bases WHERE id = ?1").bind(id).run();
}
