// Sandbox slots: how many session sandboxes a workspace runs at once, held to its plan by one conditional statement.
import { plans, runningMonth } from "../../rules/plan.ts";
import type { SandboxOwner } from "../../rules/sandbox.ts";
import { workspacePlan } from "./workspaces.ts";

export type SlotOwner = Pick<SandboxOwner, "workspaceId" | "sessionId">;

/**
 * Claims a slot for a sandbox that is to start, or finds the one that it holds. False when the workspace's plan has none left.
 * A claim that no start has followed yet counts from now; what starts or runs already goes on as it is.
 */
export async function claimSlot(
  database: D1Database,
  sandboxKey: string,
  owner: SlotOwner,
  now: number,
): Promise<boolean> {
  const limit = plans[await workspacePlan(database, owner.workspaceId)].maxConcurrentSandboxes;
  const claimed = await database
    .prepare(
      `INSERT INTO sandbox_slots (sandbox_key, workspace_id, session_id, state, claimed_at)
       SELECT ?1, ?2, ?3, 'claimed', ?4
       WHERE ?5 IS NULL OR (SELECT count(*) FROM sandbox_slots WHERE workspace_id = ?2 AND sandbox_key <> ?1) < ?5
       ON CONFLICT (sandbox_key) DO UPDATE SET claimed_at = iif(state = 'claimed', excluded.claimed_at, claimed_at)
       RETURNING sandbox_key`,
    )
    .bind(sandboxKey, owner.workspaceId, owner.sessionId, now, limit)
    .first();
  return claimed !== null;
}

/** Says of a slot that is held that its sandbox starts, or runs. */
export async function markSlot(database: D1Database, sandboxKey: string, state: "starting" | "running"): Promise<void> {
  await database
    .prepare("UPDATE sandbox_slots SET state = ?2 WHERE sandbox_key = ?1 AND state <> ?2")
    .bind(sandboxKey, state)
    .run();
}

/** The keys of the sandboxes that hold a workspace's slots. */
export async function slotHolders(database: D1Database, workspaceId: string): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT sandbox_key AS key FROM sandbox_slots WHERE workspace_id = ?1")
    .bind(workspaceId)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}

/**
 * Gives a slot back and adds the time since its start to the running time of the workspace, all of it to the month that `now` lies in.
 * Safe to repeat: the time is added by whoever finds the slot, in one step with its end.
 */
export async function releaseSlot(database: D1Database, sandboxKey: string, now: number): Promise<void> {
  const addTime = database
    .prepare(
      `INSERT INTO running_time (workspace_id, month, ms)
       SELECT workspace_id, ?2, max(?3 - claimed_at, 0) FROM sandbox_slots WHERE sandbox_key = ?1 AND state <> 'claimed'
       ON CONFLICT (workspace_id, month) DO UPDATE SET ms = ms + excluded.ms`,
    )
    .bind(sandboxKey, runningMonth(now), now);
  const release = database.prepare("DELETE FROM sandbox_slots WHERE sandbox_key = ?1").bind(sandboxKey);
  await database.batch([addTime, release]);
}

/** Gives back a slot that was claimed before `before` for a start that never came. */
export async function releaseUnusedClaim(database: D1Database, sandboxKey: string, before: number): Promise<void> {
  await database
    .prepare("DELETE FROM sandbox_slots WHERE sandbox_key = ?1 AND state = 'claimed' AND claimed_at < ?2")
    .bind(sandboxKey, before)
    .run();
}
