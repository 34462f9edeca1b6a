// Spares: the warm pool of each project. A session claims one by taking over its slot, in one
// conditional statement.
import type { PoolFacts, SpareFound } from "../../deploy/rules/spare-pool.ts";
import { isOverAllowance } from "../../workspace/rules/billing-block.ts";
import type { PlanName } from "../../workspace/rules/billing-plan.ts";
import { getHasRoomSql } from "./limits.ts";
import { getRunningMsSql } from "./slots.ts";

/** The stored networks of project `p` and of its workspace, in SQL. */
const storedNetworks =
  "coalesce((SELECT coalesce(p.network, '') || coalesce(n.network, '') FROM workspaces n WHERE n.id = p.workspace_id), '')";

/**
 * True in SQL for a spare `x` that was made for the current settings of project `p`, and runs the
 * program `?2`.
 */
const fits = `x.workspace_id = p.workspace_id AND x.target_branch = p.target_branch AND x.settings = p.settings
  AND x.program = ?2 AND x.network = ${storedNetworks}`;

/** A project, and the program that its new sandboxes run. */
export interface SparePlace {
  projectId: string;
  program: string;
}

/** Starts a spare with the project's current settings. False if the project is not live. */
export async function startSpare(
  database: D1Database,
  {
    sandboxKey,
    projectId,
    program,
    commit,
    now,
  }: SparePlace & { sandboxKey: string; commit: string | null; now: number },
): Promise<boolean> {
  const started = await database
    .prepare(
      `INSERT INTO sandbox_spares (sandbox_key, workspace_id, project_id, state, target_branch, "commit", settings, network, program, created_at)
       SELECT ?1, p.workspace_id, p.id, 'making', p.target_branch, ?3, p.settings, ${storedNetworks}, ?4, ?5 FROM projects p WHERE p.id = ?2 AND p.is_live
       ON CONFLICT DO NOTHING`,
    )
    .bind(sandboxKey, projectId, commit, program, now)
    .run();
  return started.meta.changes > 0;
}

/**
 * Lets sessions claim a spare. False if it is no longer wanted, or the project has changed since it
 * was started.
 */
export async function finishSpare(database: D1Database, sandboxKey: string, program: string): Promise<boolean> {
  const finished = await database
    .prepare(
      `UPDATE sandbox_spares AS x SET state = 'ready'
       WHERE x.sandbox_key = ?1 AND EXISTS (SELECT 1 FROM projects p WHERE p.id = x.project_id AND p.is_live AND ${fits})`,
    )
    .bind(sandboxKey, program)
    .run();
  return finished.meta.changes > 0;
}

/** Takes a spare out of the pool. False if a session has claimed it. */
export async function deleteSpare(database: D1Database, sandboxKey: string): Promise<boolean> {
  const dropped = await database.prepare("DELETE FROM sandbox_spares WHERE sandbox_key = ?1").bind(sandboxKey).run();
  return dropped.meta.changes > 0;
}

/**
 * True in SQL for a spare `x` that a session can still claim, or that is not ready yet. The sandbox
 * of a ready one may have ended: it was idle for too long, or its container died.
 */
const isThere = `(x.state = 'making' OR EXISTS (SELECT 1 FROM sandbox_slots l
  WHERE l.sandbox_key = x.sandbox_key AND l.owner_type = 'spare' AND l.state = 'running'))`;

export interface PoolFound extends PoolFacts {
  spares: (SpareFound & { commit: string | null })[];
}

interface PoolRow {
  plan: PlanName;
  isLive: number;
  holdsSessionsUp: number;
  runningMs: number;
  isSuspended: number;
  keepsSpares: number;
  spares: string;
}

/**
 * The spares of a project, and the facts that decide how many it should have; null for an unknown
 * project.
 */
export async function findPool(database: D1Database, { projectId, program }: SparePlace): Promise<PoolFound | null> {
  const row = await database
    .prepare(
      `SELECT w.plan, w.suspended_at IS NOT NULL AS isSuspended, p.is_live AS isLive, p.holds_sessions_up AS holdsSessionsUp, ${getRunningMsSql("w.id")} AS runningMs,
         coalesce(json_extract(p.settings, '$.warmPool'), 1) AS keepsSpares,
         (SELECT json_group_array(json_object('sandboxKey', x.sandbox_key, 'state', x.state, 'commit', x."commit",
            'fits', json(iif(${fits} AND ${isThere}, 'true', 'false'))))
          FROM sandbox_spares x WHERE x.project_id = p.id) AS spares
       FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE p.id = ?1`,
    )
    .bind(projectId, program)
    .first<PoolRow>();
  if (!row) return null;
  return {
    plan: row.plan,
    isLive: row.isLive === 1,
    holdsSessionsUp: row.holdsSessionsUp === 1,
    isBlockedOnBilling: isOverAllowance(row.plan, row.runningMs),
    isSuspended: row.isSuspended === 1,
    keepsSpares: row.keepsSpares === 1,
    spares: JSON.parse(row.spares),
  };
}

/** The keys of a project's spares, even if the project is deleted. */
export async function listSpareKeys(database: D1Database, projectId: string): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT sandbox_key AS key FROM sandbox_spares WHERE project_id = ?1")
    .bind(projectId)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

export interface SpareClaim extends SparePlace {
  sessionId: string;
  targetBranch: string;
  now: number;
}

/** A spare that a session has claimed, saved so that it can be returned to the pool. */
export interface ClaimedSpare {
  sandboxKey: string;
  /** Its row in the pool. */
  row: string;
}

const spareColumns = [
  ...[
    "sandbox_key",
    "workspace_id",
    "project_id",
    "state",
    "target_branch",
    '"commit"',
    "settings",
    "network",
    "program",
  ],
  "created_at",
];

/**
 * Claims a spare and its slot for a session, and returns the spare. Null if no spare fits, if the
 * workspace's plan has no slot left, or if the session's preview has a public link, which names its
 * sandbox; then the spare stays in the pool. Concurrent claims get different spares. The spare's
 * running time counts from the claim.
 */
export async function claimSpare(
  database: D1Database,
  { sessionId, projectId, program, targetBranch, now }: SpareClaim,
): Promise<ClaimedSpare | null> {
  const claim = database
    .prepare(
      `UPDATE sandbox_slots SET owner_type = 'session', owner_id = ?1, claimed_at = ?5
       WHERE sandbox_key = (
         SELECT x.sandbox_key FROM sandbox_spares x
           JOIN projects p ON p.id = x.project_id
           JOIN workspaces w ON w.id = p.workspace_id
           JOIN sandbox_slots l ON l.sandbox_key = x.sandbox_key AND l.owner_type = 'spare' AND l.state = 'running'
         WHERE x.project_id = ?3 AND x.state = 'ready' AND ${fits} AND x.target_branch = ?4 AND p.is_live AND NOT p.holds_sessions_up
           AND NOT EXISTS (SELECT 1 FROM share_links k WHERE k.session_id = ?1)
           AND ${getHasRoomSql()}
         ORDER BY x.created_at LIMIT 1)`,
    )
    .bind(sessionId, program, projectId, targetBranch, now);
  const leave = database
    .prepare(
      `DELETE FROM sandbox_spares WHERE project_id = ?2 AND sandbox_key IN
         (SELECT sandbox_key FROM sandbox_slots WHERE owner_type = 'session' AND owner_id = ?1)
       RETURNING sandbox_key AS sandboxKey, json_array(${spareColumns.join(", ")}) AS row`,
    )
    .bind(sessionId, projectId);
  const [, left] = await database.batch<ClaimedSpare>([claim, leave]);
  return left?.results[0] ?? null;
}

/**
 * Returns a claimed spare to its pool, because its session does not start after all. False if the
 * spare's sandbox has ended meanwhile.
 */
export async function releaseSpare(
  database: D1Database,
  { sandboxKey, row }: ClaimedSpare,
  sessionId: string,
): Promise<boolean> {
  const values = spareColumns.map((_, place) => `json_extract(?2, '$[${place}]')`).join(", ");
  const [, returned] = await database.batch([
    database
      .prepare(
        `UPDATE sandbox_slots SET owner_type = 'spare', owner_id = ?1
         WHERE sandbox_key = ?1 AND owner_type = 'session' AND owner_id = ?2`,
      )
      .bind(sandboxKey, sessionId),
    database
      .prepare(
        `INSERT INTO sandbox_spares (${spareColumns.join(", ")}) SELECT ${values}
         WHERE EXISTS (SELECT 1 FROM sandbox_slots WHERE sandbox_key = ?1 AND owner_type = 'spare')
         ON CONFLICT DO NOTHING`,
      )
      .bind(sandboxKey, row),
  ]);
  return returned !== undefined && returned.meta.changes > 0;
}
