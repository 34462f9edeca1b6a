// Sandbox slots: the limits on running session sandboxes, per workspace and per owner. One
// statement checks the limits and claims a slot.
import { findSandboxLimitMet, type PlanName, type SandboxLimit } from "../../workspace/rules/billing-plan.ts";
import type { SandboxOwner } from "../rules/owner.ts";
import { getHasRoomSql, getOwnerSlotsSql, getOwnerWorkspacesSql, getWorkspaceSlotsSql } from "./limits.ts";

export type SlotOwner = Pick<SandboxOwner, "type" | "id" | "workspaceId">;

/**
 * Claims a slot for a sandbox that is about to start. True if it gets a slot or already has one.
 * False for a session's sandbox if the plan has no slot left for the workspace or its owner; other
 * sandboxes do not count. Renews a claim without a start. Does not change the slot of a starting or
 * running sandbox.
 */
export async function claimSlot(
  database: D1Database,
  sandboxKey: string,
  owner: SlotOwner,
  now: number,
): Promise<boolean> {
  const claimed = await database
    .prepare(
      `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
       SELECT ?1, ?2, ?3, ?4, 'claimed', ?5
       WHERE NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?2 AND w.suspended_at IS NOT NULL)
         AND (?3 <> 'session' OR EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?2 AND ${getHasRoomSql("l.sandbox_key <> ?1")}))
       ON CONFLICT (sandbox_key) DO UPDATE SET claimed_at = iif(state = 'claimed', excluded.claimed_at, claimed_at)
       RETURNING sandbox_key`,
    )
    .bind(sandboxKey, owner.workspaceId, owner.type, owner.id, now)
    .first();
  return claimed !== null;
}

/** Marks a slot as starting or running. False if the sandbox no longer has it. */
export async function updateSlot(
  database: D1Database,
  sandboxKey: string,
  state: "starting" | "running",
): Promise<boolean> {
  const marked = await database
    .prepare("UPDATE sandbox_slots SET state = ?2 WHERE sandbox_key = ?1 RETURNING sandbox_key")
    .bind(sandboxKey, state)
    .first();
  return marked !== null;
}

/**
 * Returns the limit that a session's sandbox meets, or null if there is room. Throws for an unknown
 * workspace.
 */
export async function findLimitMet(
  database: D1Database,
  sandboxKey: string,
  workspaceId: string,
): Promise<SandboxLimit | null> {
  const but = "l.sandbox_key <> ?1";
  const found = await database
    .prepare(
      `SELECT w.plan, ${getWorkspaceSlotsSql("w.id", but)} AS ofWorkspace, ${getOwnerSlotsSql("w.id", but)} AS ofOwner
       FROM workspaces w WHERE w.id = ?2`,
    )
    .bind(sandboxKey, workspaceId)
    .first<{ plan: PlanName; ofWorkspace: number; ofOwner: number }>();
  if (!found) throw new Error(`no workspace ${workspaceId}`);
  return findSandboxLimitMet(found.plan, found);
}

/**
 * The number of session sandboxes that run, or are about to, in all workspaces that share the
 * owner's limit with this one.
 */
export async function countOfOwner(database: D1Database, workspaceId: string): Promise<number> {
  return (await database
    .prepare(`SELECT ${getOwnerSlotsSql("?1")} AS held`)
    .bind(workspaceId)
    .first<number>("held")) as number;
}

/**
 * The keys of the sandboxes that hold slots for sessions of a workspace, and of those in workspaces
 * that share a limit with it.
 */
export async function listSlotHolders(database: D1Database, workspaceId: string): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT sandbox_key AS key FROM sandbox_slots
       WHERE (workspace_id = ?1 OR workspace_id IN (${getOwnerWorkspacesSql("?1")})) AND owner_type = 'session'`,
    )
    .bind(workspaceId)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

export interface RunningSession {
  sessionId: string;
  title: string;
  projectName: string;
  branch: string | null;
}

/** The sessions whose sandboxes are starting or running, the longest-running first. */
export async function listRunningSessions(database: D1Database, workspaceId: string): Promise<RunningSession[]> {
  const { results } = await database
    .prepare(
      `SELECT s.id AS sessionId, s.title, p.name AS projectName, s.branch
       FROM sandbox_slots l JOIN sessions s ON l.owner_type = 'session' AND s.id = l.owner_id JOIN projects p ON p.id = s.project_id
       WHERE l.workspace_id = ?1 AND l.state <> 'claimed' ORDER BY l.claimed_at, l.sandbox_key`,
    )
    .bind(workspaceId)
    .all<RunningSession>();
  return results;
}

/** Filters session ids for sessions whose sandbox holds a slot of the workspace. */
export async function listSessionsWithSlot(
  database: D1Database,
  workspaceId: string,
  sessionIds: string[],
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT l.owner_id AS id FROM sandbox_slots l
       WHERE l.workspace_id = ?1 AND l.owner_type = 'session' AND l.owner_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(workspaceId, JSON.stringify(sessionIds))
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * An SQL expression for the start of the month after a time, both in milliseconds since the epoch.
 */
const nextMonthMs = (ms: string) => `unixepoch(${ms} / 1000, 'unixepoch', 'start of month', '+1 month') * 1000`;

/**
 * Releases a slot, and adds the time since its start to the workspace's running time, split by
 * month. From then on a main sandbox sleeps. Idempotent: one transaction adds the time and deletes
 * the slot.
 */
export async function releaseSlot(database: D1Database, sandboxKey: string, now: number): Promise<void> {
  const addTime = database
    .prepare(
      `INSERT INTO running_time (workspace_id, month, ms)
       WITH RECURSIVE part (workspace_id, start, stop) AS (
         SELECT workspace_id, claimed_at, max(?2, claimed_at) FROM sandbox_slots
           WHERE sandbox_key = ?1 AND state <> 'claimed' AND owner_type <> 'spare'
         UNION ALL
         SELECT workspace_id, ${nextMonthMs("start")}, stop FROM part WHERE ${nextMonthMs("start")} < stop)
       SELECT workspace_id, strftime('%Y-%m', start / 1000, 'unixepoch'), min(stop, ${nextMonthMs("start")}) - start FROM part WHERE true
       ON CONFLICT (workspace_id, month) DO UPDATE SET ms = ms + excluded.ms`,
    )
    .bind(sandboxKey, now);
  const recordSleep = database
    .prepare(
      `UPDATE projects SET main_slept_at = ?2 WHERE main_sandbox_key = ?1
         AND EXISTS (SELECT 1 FROM sandbox_slots WHERE sandbox_key = ?1 AND owner_type = 'main')`,
    )
    .bind(sandboxKey, now);
  const release = database.prepare("DELETE FROM sandbox_slots WHERE sandbox_key = ?1").bind(sandboxKey);
  await database.batch([addTime, recordSleep, release]);
}

const minuteMs = 60_000;
const minutesAnHour = 60;

/**
 * Sandboxes with a slot older than an hour that was claimed in this minute of an hour, so that each
 * is returned once an hour. In key order, after a given key.
 */
export async function listOldSlots(database: D1Database, now: number, after: string, limit: number): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT sandbox_key AS key FROM sandbox_slots
       WHERE claimed_at < ?1 AND claimed_at / ${minuteMs} % ${minutesAnHour} = ?2 AND sandbox_key > ?3
       ORDER BY sandbox_key LIMIT ?4`,
    )
    .bind(now - minutesAnHour * minuteMs, Math.floor(now / minuteMs) % minutesAnHour, after, limit)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** Releases a slot that was claimed before `before` and whose sandbox has not started. */
export async function releaseUnusedClaim(database: D1Database, sandboxKey: string, before: number): Promise<void> {
  await database
    .prepare("DELETE FROM sandbox_slots WHERE sandbox_key = ?1 AND state = 'claimed' AND claimed_at < ?2")
    .bind(sandboxKey, before)
    .run();
}

const nowMs = "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)";
const monthStartMs = "unixepoch('now', 'start of month') * 1000";

/**
 * Returns an SQL expression for how long a workspace's sandboxes have run this month, in
 * milliseconds, including those that still run. Spares do not count. `workspaceId` is an SQL
 * expression too.
 */
export function getRunningMsSql(workspaceId: string): string {
  return `coalesce(
    (SELECT t.ms FROM running_time t WHERE t.workspace_id = ${workspaceId} AND t.month = strftime('%Y-%m', 'now')), 0) +
  (SELECT coalesce(sum(${nowMs} - max(l.claimed_at, ${monthStartMs})), 0) FROM sandbox_slots l
    WHERE l.workspace_id = ${workspaceId} AND l.state <> 'claimed' AND l.owner_type <> 'spare')`;
}
