// What is listed for the operator (parked effects of objects, workspaces and people), suspensions
// with the work that one stops, and the counts of the service's health.
import { and, asc, count, eq } from "drizzle-orm";
import { statusesAtWork } from "../project/tables.ts";
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

const tablesOfObjects: Record<ParkingObject, { table: string; name: string }> = {
  session: { table: "sessions", name: "id" },
  project: { table: "projects", name: "id" },
  cron: { table: "crons", name: "id" },
  "cron-run": { table: "cron_runs", name: "id" },
  sandbox: { table: "sandbox_slots", name: "sandbox_key" },
};

/** The workspace of an object; null if no row says it. */
export async function findWorkspaceOfObject(
  database: D1Database,
  object: ParkingObject,
  objectName: string,
): Promise<string | null> {
  const { table, name } = tablesOfObjects[object];
  const found = database.prepare(`SELECT workspace_id AS id FROM ${table} WHERE ${name} = ?1`).bind(objectName);
  return await found.first<string>("id");
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
  suspendedAt: number | null;
}

/** Workspaces with their use of this month, the most expensive first, and their total number. */
export async function listWorkspaceUse(database: D1Database): Promise<{ listed: WorkspaceUse[]; count: number }> {
  const [listed, counted] = await database.batch<WorkspaceUse & { count: number }>([
    database
      .prepare(
        `SELECT w.slug, w.plan, w.suspended_at AS suspendedAt,
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
  suspendedAt: number | null;
}

/** People with their workspaces, the newest first, and their total number. */
export async function listPeople(database: D1Database): Promise<{ listed: PersonListed[]; count: number }> {
  const [listed, counted] = await database.batch<PersonListed & { count: number }>([
    database
      .prepare(
        `SELECT u.id, i.login, u.name, u.created_at AS createdAt, u.suspended_at AS suspendedAt,
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

/** A piece of running work. */
export type Work =
  | { type: "session" | "cron-run" | "sandbox"; id: string }
  | { type: "deploy"; id: string; workspaceId: string; mainSandboxKey: string; isLive: boolean };

/** Who is suspended, by id. */
export interface Suspended {
  type: "workspace" | "person";
  id: string;
}

const tables: Record<Suspended["type"], string> = { workspace: "workspaces", person: "users" };

/** Sets when somebody was suspended; null ends it. The time of an earlier suspension stays. */
export async function saveSuspension(database: D1Database, { type, id }: Suspended, at: number | null): Promise<void> {
  await database
    .prepare(
      `UPDATE ${tables[type]} SET suspended_at = iif(?2 IS NULL, NULL, coalesce(suspended_at, ?2)) WHERE id = ?1`,
    )
    .bind(id, at)
    .run();
}

/**
 * What runs in a workspace. Sessions, Deploys and runs come before the sandboxes that they use,
 * because a sandbox does not pause during a turn.
 */
export async function listWorkOfWorkspace(database: D1Database, workspaceId: string): Promise<Work[]> {
  const [sessions, projects, runs, sandboxes] = await database.batch<Record<string, string | number>>([
    database
      .prepare(
        `SELECT id FROM sessions s WHERE workspace_id = ?1 AND (turn_status IN ('pending', 'running')
           OR EXISTS (SELECT 1 FROM sandbox_slots l WHERE l.sandbox_key = s.sandbox_key))`,
      )
      .bind(workspaceId),
    database
      .prepare(
        `SELECT id, main_sandbox_key AS mainSandboxKey, is_live AS isLive FROM projects
         WHERE workspace_id = ?1 AND deploy_status IN (${statusesAtWork})`,
      )
      .bind(workspaceId),
    database.prepare("SELECT id FROM cron_runs WHERE workspace_id = ?1 AND status = 'running'").bind(workspaceId),
    database
      .prepare("SELECT sandbox_key AS id FROM sandbox_slots WHERE workspace_id = ?1 AND owner_type <> 'session'")
      .bind(workspaceId),
  ]);
  const as = <Type extends Work["type"]>(type: Type, found: typeof sessions) =>
    (found?.results ?? []).map(({ id }) => ({ type, id: String(id) }));
  return [
    ...as("session", sessions),
    ...(projects?.results ?? []).map(({ id, mainSandboxKey, isLive }) => ({
      ...{ type: "deploy" as const, id: String(id), workspaceId },
      ...{ mainSandboxKey: String(mainSandboxKey), isLive: isLive === 1 },
    })),
    ...as("cron-run", runs),
    ...as("sandbox", sandboxes),
  ];
}

/**
 * What runs for a person: turns in their sessions, and runs of crons that they created or wrote
 * last.
 */
export async function listWorkOfPerson(database: D1Database, userId: string): Promise<Work[]> {
  const { results } = await database
    .prepare(
      `SELECT 'session' AS type, id FROM sessions WHERE assignee_id = ?1 AND turn_status IN ('pending', 'running')
       UNION ALL
       SELECT 'cron-run', r.id FROM cron_runs r JOIN crons c ON c.id = r.cron_id
       WHERE r.status = 'running' AND (c.created_by = ?1
         OR EXISTS (SELECT 1 FROM keys k WHERE k.turn_id = r.id AND k.bounds ->> '$.writer.userId' = ?1))`,
    )
    .bind(userId)
    .all<{ type: "session" | "cron-run"; id: string }>();
  return results.map(({ type, id }) => ({ type, id }));
}
