// What is listed for the operator (parked effects of objects, workspaces and people), and the
// counts of the service's health.
import { and, asc, count, eq } from "drizzle-orm";
import { operatorListed, parkedListed } from "../rules/limits.ts";
import type { ParkingObject } from "../rules/parking.ts";
import { getRunningMsSql } from "../sandbox/queries/slots.ts";
import { toDrizzle } from "../storage/database.ts";
import type { PlanName } from "../workspace/rules/billing-plan.ts";
import type { HealthFacts } from "./rules/health.ts";
import { parkedEffects } from "./tables.ts";

export type ParkedEffect = typeof parkedEffects.$inferSelect;

/** Records that an effect is parked. Idempotent: the time of the first record stays. */
export async function saveParked(
  database: D1Database,
  parked: Omit<ParkedEffect, "parkedAt">,
  now: number,
): Promise<void> {
  const { object, name, key } = parkedEffects;
  const { attempts, reason } = parked;
  await toDrizzle(database)
    .insert(parkedEffects)
    .values({ ...parked, parkedAt: now })
    .onConflictDoUpdate({ target: [object, name, key], set: { attempts, reason } });
}

/** Deletes the row of a parked effect; without a key, those of all effects of the object. */
export async function deleteParked(
  database: D1Database,
  object: ParkingObject,
  name: string,
  key?: string,
): Promise<void> {
  const ofObject = and(eq(parkedEffects.object, object), eq(parkedEffects.name, name));
  await toDrizzle(database)
    .delete(parkedEffects)
    .where(key === undefined ? ofObject : and(ofObject, eq(parkedEffects.key, key)));
}

/** The listed parked effects, the oldest first, and their total number. */
export async function listParked(database: D1Database): Promise<{ listed: ParkedEffect[]; count: number }> {
  const db = toDrizzle(database);
  const [listed, [counted]] = await db.batch([
    db.select().from(parkedEffects).orderBy(asc(parkedEffects.parkedAt)).limit(parkedListed),
    db.select({ parked: count() }).from(parkedEffects),
  ]);
  return { listed, count: counted?.parked ?? 0 };
}

export interface WorkspaceUse {
  slug: string;
  plan: PlanName;
  members: number;
  projects: number;
  /** How long its sandboxes have run this month. */
  runningMs: number;
  /** What the workspace has paid for models this month, in billionths of a dollar. */
  nanoUsd: number;
}

/** Workspaces with their use of this month, the most expensive first, and their total number. */
export async function listWorkspaceUse(database: D1Database): Promise<{ listed: WorkspaceUse[]; count: number }> {
  const [listed, counted] = await database.batch<WorkspaceUse & { count: number }>([
    database
      .prepare(
        `SELECT w.slug, w.plan,
           (SELECT count(*) FROM members m WHERE m.workspace_id = w.id) AS members,
           (SELECT count(*) FROM projects p WHERE p.workspace_id = w.id) AS projects,
           ${getRunningMsSql("w.id")} AS runningMs,
           coalesce(s.nano_usd, 0) AS nanoUsd
         FROM workspaces w
           LEFT JOIN workspace_spend s ON s.workspace_id = w.id AND s.month = strftime('%Y-%m', 'now')
         ORDER BY nanoUsd DESC, w.created_at DESC, w.slug LIMIT ?1`,
      )
      .bind(operatorListed),
    database.prepare("SELECT count(*) AS count FROM workspaces"),
  ]);
  return { listed: listed?.results ?? [], count: counted?.results[0]?.count ?? 0 };
}

export interface PersonListed {
  id: string;
  /** Null for somebody without an account at the code host. */
  login: string | null;
  name: string;
  createdAt: number;
  /** Such as `owner of trains, member of boats`; null if in no workspace. */
  memberships: string | null;
}

/** People with their workspaces, the newest first, and their total number. */
export async function listPeople(database: D1Database): Promise<{ listed: PersonListed[]; count: number }> {
  const [listed, counted] = await database.batch<PersonListed & { count: number }>([
    database
      .prepare(
        `SELECT u.id, i.login, u.name, u.created_at AS createdAt,
           (SELECT group_concat(m.role || ' of ' || w.slug, ', ')
            FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE m.user_id = u.id) AS memberships
         FROM users u LEFT JOIN code_host_identities i ON i.user_id = u.id
         WHERE u.deleted_at IS NULL
         ORDER BY u.created_at DESC, u.id LIMIT ?1`,
      )
      .bind(operatorListed),
    database.prepare("SELECT count(*) AS count FROM users WHERE deleted_at IS NULL"),
  ]);
  return { listed: listed?.results ?? [], count: counted?.results[0]?.count ?? 0 };
}

const hourMs = 3_600_000;

/** The counts of the service's health, in one round trip. The failed turns are those of an hour. */
export async function countForHealth(database: D1Database, now: number): Promise<Omit<HealthFacts, "sweeps">> {
  const row = await database
    .prepare(
      `SELECT (SELECT count(*) FROM sandbox_slots WHERE state = 'running') AS running,
         (SELECT count(*) FROM sandbox_slots WHERE state <> 'running') AS starting,
         (SELECT min(claimed_at) FROM sandbox_slots WHERE state <> 'running') AS oldestStartAt,
         (SELECT count(*) FROM sessions WHERE turn_status = 'running') AS turns,
         (SELECT count(*) FROM activity WHERE created_at > ?1 AND kind = 'job_failed') AS failed,
         (SELECT count(*) FROM parked_effects) AS parked`,
    )
    .bind(now - hourMs)
    .first<Record<"running" | "starting" | "turns" | "failed" | "parked", number> & { oldestStartAt: number | null }>();
  if (row === null) throw new Error("A row of counts is missing.");
  const { running, starting, oldestStartAt, turns, failed, parked } = row;
  return {
    sandboxes: { running, starting },
    oldestStartAt,
    turns: { running: turns, failedLastHour: failed },
    parkedEffects: parked,
  };
}
