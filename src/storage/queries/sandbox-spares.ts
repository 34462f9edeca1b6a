// Spares: the warm pool of each project. A session claims one by taking over its slot, in one conditional statement.
import type { PoolFacts, SpareFound } from "../../rules/deploy/pool.ts";
import { isOverAllowance, type PlanName, planNames, plans } from "../../rules/workspace/plan.ts";
import { runningMsThisMonth } from "./running-time.ts";

/** True in SQL for a spare `x` that was made for the project `p` as it is now. */
const fits = "x.workspace_id = p.workspace_id AND x.target_branch = p.target_branch AND x.settings = p.settings";

/** Begins a spare with the project's settings of now. False if the project is not live. */
export async function beginSpare(
  database: D1Database,
  { sandboxKey, projectId, commit, now }: { sandboxKey: string; projectId: string; commit: string | null; now: number },
): Promise<boolean> {
  const begun = await database
    .prepare(
      `INSERT INTO sandbox_spares (sandbox_key, workspace_id, project_id, state, target_branch, "commit", settings, created_at)
       SELECT ?1, p.workspace_id, p.id, 'making', p.target_branch, ?3, p.settings, ?4 FROM projects p WHERE p.id = ?2 AND p.is_live
       ON CONFLICT DO NOTHING`,
    )
    .bind(sandboxKey, projectId, commit, now)
    .run();
  return begun.meta.changes > 0;
}

/** Lets sessions claim a spare. False if it is not wanted any more, or the project has changed since it was begun. */
export async function finishSpare(database: D1Database, sandboxKey: string): Promise<boolean> {
  const finished = await database
    .prepare(
      `UPDATE sandbox_spares AS x SET state = 'ready'
       WHERE x.sandbox_key = ?1 AND EXISTS (SELECT 1 FROM projects p WHERE p.id = x.project_id AND p.is_live AND ${fits})`,
    )
    .bind(sandboxKey)
    .run();
  return finished.meta.changes > 0;
}

/** Takes a spare out of the pool. False if a session has claimed it. */
export async function dropSpare(database: D1Database, sandboxKey: string): Promise<boolean> {
  const dropped = await database.prepare("DELETE FROM sandbox_spares WHERE sandbox_key = ?1").bind(sandboxKey).run();
  return dropped.meta.changes > 0;
}

export interface PoolFound extends PoolFacts {
  spares: (SpareFound & { commit: string | null })[];
}

interface PoolRow {
  plan: PlanName;
  isLive: number;
  holdsSessionsUp: number;
  runningMs: number;
  keepsSpares: number;
  spares: string;
}

/** The spares of a project, and what decides how many it is to have; null for an unknown project. */
export async function findPool(database: D1Database, projectId: string): Promise<PoolFound | null> {
  const row = await database
    .prepare(
      `SELECT w.plan, p.is_live AS isLive, p.holds_sessions_up AS holdsSessionsUp, ${runningMsThisMonth("w.id")} AS runningMs,
         coalesce(json_extract(p.settings, '$.warmPool'), 1) AS keepsSpares,
         (SELECT json_group_array(json_object('sandboxKey', x.sandbox_key, 'state', x.state, 'commit', x."commit",
            'fits', json(iif(${fits}, 'true', 'false'))))
          FROM sandbox_spares x WHERE x.project_id = p.id) AS spares
       FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE p.id = ?1`,
    )
    .bind(projectId)
    .first<PoolRow>();
  if (!row) return null;
  return {
    plan: row.plan,
    isLive: row.isLive === 1,
    holdsSessionsUp: row.holdsSessionsUp === 1,
    isBlockedOnBilling: isOverAllowance(row.plan, row.runningMs),
    keepsSpares: row.keepsSpares === 1,
    spares: JSON.parse(row.spares),
  };
}

/** The keys of a project's spares, also of one that is deleted. */
export async function spareKeys(database: D1Database, projectId: string): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT sandbox_key AS key FROM sandbox_spares WHERE project_id = ?1")
    .bind(projectId)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** The most session sandboxes of the plan of a workspace `w`, in SQL. */
const sandboxLimit = `CASE w.plan ${planNames
  .map((plan) => `WHEN '${plan}' THEN ${plans[plan].maxConcurrentSandboxes ?? "NULL"}`)
  .join(" ")} END`;

export interface SpareClaim {
  sessionId: string;
  projectId: string;
  targetBranch: string;
  now: number;
}

/**
 * Claims a spare and its slot for a session, and answers its key. Null if there is none that fits, or the workspace's plan has no slot left: then
 * the spare stays in the pool. Of concurrent claims each gets another spare. Its running time counts from here on.
 */
export async function claimSpare(
  database: D1Database,
  { sessionId, projectId, targetBranch, now }: SpareClaim,
): Promise<string | null> {
  const claim = database
    .prepare(
      `UPDATE sandbox_slots SET owner_type = 'session', owner_id = ?1, claimed_at = ?4
       WHERE sandbox_key = (
         SELECT x.sandbox_key FROM sandbox_spares x
           JOIN projects p ON p.id = x.project_id
           JOIN workspaces w ON w.id = p.workspace_id
           JOIN sandbox_slots l ON l.sandbox_key = x.sandbox_key AND l.owner_type = 'spare' AND l.state = 'running'
         WHERE x.project_id = ?2 AND x.state = 'ready' AND ${fits} AND x.target_branch = ?3 AND p.is_live AND NOT p.holds_sessions_up
           AND (${sandboxLimit} IS NULL OR ${sandboxLimit} >
             (SELECT count(*) FROM sandbox_slots s WHERE s.workspace_id = p.workspace_id AND s.owner_type = 'session'))
         ORDER BY x.created_at LIMIT 1)
       RETURNING sandbox_key`,
    )
    .bind(sessionId, projectId, targetBranch, now);
  const leave = database
    .prepare(
      `DELETE FROM sandbox_spares WHERE project_id = ?2 AND sandbox_key IN
         (SELECT sandbox_key FROM sandbox_slots WHERE owner_type = 'session' AND owner_id = ?1)`,
    )
    .bind(sessionId, projectId);
  const [claimed] = await database.batch<{ sandbox_key: string }>([claim, leave]);
  return claimed?.results[0]?.sandbox_key ?? null;
}
