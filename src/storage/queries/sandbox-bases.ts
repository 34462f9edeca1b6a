// Base layers: which there are of a project, which sandbox stands on which, and which nobody needs any more. A base that a sandbox stands on
// is never removed: whoever wants to stand on it says so first, in one statement with the look that it is there.

export interface BaseOf {
  projectId: string;
  fingerprint: string;
}

/** Has a sandbox stand on the base of this fingerprint. Null when there is no such base. */
export async function takeBase(database: D1Database, sandboxKey: string, base: BaseOf): Promise<string | null> {
  return await database
    .prepare(
      `INSERT INTO base_users (sandbox_key, base_id)
       SELECT ?1, id FROM sandbox_bases WHERE project_id = ?2 AND fingerprint = ?3 AND state = 'ready'
       ON CONFLICT (sandbox_key) DO UPDATE SET base_id = excluded.base_id RETURNING base_id`,
    )
    .bind(sandboxKey, base.projectId, base.fingerprint)
    .first("base_id");
}

/** The base that a sandbox stands on. */
export async function baseOfSandbox(database: D1Database, sandboxKey: string): Promise<string | null> {
  return await database
    .prepare("SELECT base_id FROM base_users WHERE sandbox_key = ?1")
    .bind(sandboxKey)
    .first("base_id");
}

/** A sandbox stands on no base any more. */
export async function leaveBase(database: D1Database, sandboxKey: string): Promise<void> {
  await database.prepare("DELETE FROM base_users WHERE sandbox_key = ?1").bind(sandboxKey).run();
}

/** A sandbox begins anew, on no base yet. Answers whether its project has any to begin with. */
export async function beginAnew(database: D1Database, sandboxKey: string, projectId: string): Promise<boolean> {
  const [, found] = await database.batch([
    database.prepare("DELETE FROM base_users WHERE sandbox_key = ?1").bind(sandboxKey),
    database.prepare("SELECT 1 FROM sandbox_bases WHERE project_id = ?1 AND state = 'ready' LIMIT 1").bind(projectId),
  ]);
  return found !== undefined && found.results.length > 0;
}

/** Claims the making of a base. False when there is one, or somebody is at it. */
export async function beginBase(database: D1Database, id: string, base: BaseOf, now: number): Promise<boolean> {
  const begun = await database
    .prepare(
      `INSERT INTO sandbox_bases (id, project_id, fingerprint, state, created_at) VALUES (?1, ?2, ?3, 'making', ?4)
       ON CONFLICT DO NOTHING RETURNING id`,
    )
    .bind(id, base.projectId, base.fingerprint, now)
    .first();
  return begun !== null;
}

/** The base is in storage: others may begin with it, and the sandbox that it was made in stands on it. */
export async function finishBase(database: D1Database, id: string, sandboxKey: string): Promise<void> {
  await database.batch([
    database.prepare("UPDATE sandbox_bases SET state = 'ready' WHERE id = ?1 AND state = 'making'").bind(id),
    database
      .prepare(
        `INSERT INTO base_users (sandbox_key, base_id)
         SELECT ?2, id FROM sandbox_bases WHERE id = ?1 AND state = 'ready'
         ON CONFLICT (sandbox_key) DO UPDATE SET base_id = excluded.base_id`,
      )
      .bind(id, sandboxKey),
  ]);
}

/** No sandbox begins with this base any more. */
export async function retireBase(database: D1Database, id: string): Promise<void> {
  await database.prepare("UPDATE sandbox_bases SET state = 'retired' WHERE id = ?1").bind(id).run();
}

/** Retires bases that a newer one of their project has replaced, and those whose making was begun before `before` and never finished. */
export async function retireOldBases(database: D1Database, before: number): Promise<void> {
  await database
    .prepare(
      `UPDATE sandbox_bases SET state = 'retired'
       WHERE (state = 'making' AND created_at < ?1)
          OR (state = 'ready' AND EXISTS (SELECT 1 FROM sandbox_bases AS newer
                WHERE newer.project_id = sandbox_bases.project_id AND newer.state = 'ready' AND newer.id > sandbox_bases.id))`,
    )
    .bind(before)
    .run();
}

/** Retired bases on which no sandbox stands, and so none ever will. */
export async function unusedBases(database: D1Database, limit: number): Promise<{ id: string; projectId: string }[]> {
  const { results } = await database
    .prepare(
      `SELECT id, project_id AS projectId FROM sandbox_bases
       WHERE state = 'retired' AND NOT EXISTS (SELECT 1 FROM base_users WHERE base_id = sandbox_bases.id) LIMIT ?1`,
    )
    .bind(limit)
    .all<{ id: string; projectId: string }>();
  return results;
}

export async function forgetBase(database: D1Database, id: string): Promise<void> {
  await database.prepare("DELETE FROM sandbox_bases WHERE id = ?1").bind(id).run();
}
