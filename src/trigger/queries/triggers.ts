// Reads and writes the triggers of projects, their keys, and the sessions of places.
import { and, eq } from "drizzle-orm";
import { toDrizzle } from "../../storage/database.ts";
import type { Place } from "../rules/plan.ts";
import { type Trigger, toTrigger } from "../rules/trigger.ts";
import { triggerSecrets, triggers } from "../tables.ts";

export interface ProjectTriggers {
  /** 0 for a project that has never set triggers. */
  version: number;
  triggers: Trigger[];
}

/** The triggers of a project. */
export async function findTriggers(database: D1Database, projectId: string): Promise<ProjectTriggers> {
  const row = await toDrizzle(database).select().from(triggers).where(eq(triggers.projectId, projectId)).get();
  return row ? { version: row.version, triggers: row.triggers.map(toTrigger) } : { version: 0, triggers: [] };
}

/** Replaces the triggers of a project. False if they were changed since this version. */
export async function writeTriggers(
  database: D1Database,
  { projectId, version, triggers, writtenBy }: ProjectTriggers & { projectId: string; writtenBy: string | null },
): Promise<boolean> {
  const [written] = await database.batch([
    database
      .prepare(
        `INSERT INTO triggers (project_id, version, triggers, written_by) SELECT ?1, ?2 + 1, ?3, ?4
         WHERE ?2 = 0 OR EXISTS (SELECT 1 FROM triggers WHERE project_id = ?1)
         ON CONFLICT (project_id) DO UPDATE SET version = excluded.version, triggers = excluded.triggers,
           written_by = excluded.written_by
         WHERE triggers.version = ?2`,
      )
      .bind(projectId, version, JSON.stringify(triggers), writtenBy),
    // Key and secret end with their trigger, even if a later one has the same id.
    ...["trigger_keys", "trigger_secrets"].map((table) =>
      database
        .prepare(
          `DELETE FROM ${table} WHERE project_id = ?1 AND NOT EXISTS (
             SELECT 1 FROM triggers t, json_each(t.triggers) rule WHERE t.project_id = ?1
               AND rule.value ->> 'id' = ${table}.trigger_id AND rule.value ->> 'on' = 'http')`,
        )
        .bind(projectId),
    ),
  ]);
  return written !== undefined && written.meta.changes > 0;
}

/**
 * Stores the hash of an HTTP trigger's key and its sealed secret, in place of older ones. False if
 * the project has no such trigger.
 */
export async function writeTriggerKey(
  database: D1Database,
  { projectId, triggerId, hash, sealed }: { projectId: string; triggerId: string; hash: string; sealed: string },
  now: number,
): Promise<boolean> {
  const ofHttp = `FROM triggers t, json_each(t.triggers) rule
    WHERE t.project_id = ?1 AND rule.value ->> 'id' = ?2 AND rule.value ->> 'on' = 'http'`;
  const [written] = await database.batch([
    database
      .prepare(
        `INSERT OR REPLACE INTO trigger_keys (trigger_id, project_id, hash, created_at) SELECT ?2, ?1, ?3, ?4 ${ofHttp}`,
      )
      .bind(projectId, triggerId, hash, now),
    database
      .prepare(`INSERT OR REPLACE INTO trigger_secrets (trigger_id, project_id, sealed) SELECT ?2, ?1, ?3 ${ofHttp}`)
      .bind(projectId, triggerId, sealed),
  ]);
  return written !== undefined && written.meta.changes > 0;
}

interface KeyedTrigger {
  projectId: string;
  trigger: Trigger;
  /** The hash of its key. */
  hash: string;
  /** Its sealed secret; null for a trigger whose key is older than signatures. */
  sealed: string | null;
}

/** The HTTP trigger with this key or this id, once it has a key; null without one. */
export async function findKeyedTrigger(
  database: D1Database,
  by: { hash: string } | { triggerId: string },
): Promise<KeyedTrigger | null> {
  const [column, value] = "hash" in by ? ["hash", by.hash] : ["trigger_id", by.triggerId];
  const row = await database
    .prepare(
      `SELECT k.project_id AS projectId, k.hash, s.sealed, rule.value AS trigger
       FROM trigger_keys k JOIN triggers t ON t.project_id = k.project_id
         LEFT JOIN trigger_secrets s ON s.trigger_id = k.trigger_id, json_each(t.triggers) rule
       WHERE k.${column} = ?1 AND rule.value ->> 'id' = k.trigger_id`,
    )
    .bind(value)
    .first<Omit<KeyedTrigger, "trigger"> & { trigger: string }>();
  return row && { ...row, trigger: toTrigger(JSON.parse(row.trigger) as Trigger) };
}

/** Replaces a sealed secret, unless it was replaced meanwhile. */
export async function updateTriggerSecret(
  database: D1Database,
  { triggerId, from, to }: { triggerId: string; from: string; to: string },
): Promise<void> {
  const read = and(eq(triggerSecrets.triggerId, triggerId), eq(triggerSecrets.sealed, from));
  await toDrizzle(database).update(triggerSecrets).set({ sealed: to }).where(read).run();
}

/**
 * The session of a place: the one that it has, or this new one. `ended` is a session that the new
 * one replaces. It is one statement, so that two calls at the same time get the same session.
 */
export async function claimPlace(
  database: D1Database,
  { projectId, place, newId, ended }: { projectId: string; place: Place; newId: string; ended: string | null },
  now: number,
): Promise<string> {
  const { kind, externalId } = place;
  const row = await database
    .prepare(
      `INSERT INTO trigger_places (project_id, kind, external_id, session_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET session_id = iif(session_id = ?6, excluded.session_id, session_id)
       RETURNING session_id AS sessionId`,
    )
    .bind(projectId, kind, externalId, newId, now, ended)
    .first<{ sessionId: string }>();
  return row?.sessionId ?? newId;
}

/** The id of the session that a place has, or will have; null without one. */
export async function findSessionOfPlace(
  database: D1Database,
  projectId: string,
  { kind, externalId }: Place,
): Promise<string | null> {
  return await database
    .prepare(
      "SELECT session_id AS sessionId FROM trigger_places WHERE project_id = ?1 AND kind = ?2 AND external_id = ?3",
    )
    .bind(projectId, kind, externalId)
    .first<string>("sessionId");
}

/** Frees a place whose session was not created after all. */
export async function releasePlace(
  database: D1Database,
  { projectId, place, sessionId }: { projectId: string; place: Place; sessionId: string },
): Promise<void> {
  const { kind, externalId } = place;
  await database
    .prepare(
      `DELETE FROM trigger_places WHERE project_id = ?1 AND kind = ?2 AND external_id = ?3 AND session_id = ?4
         AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?4)`,
    )
    .bind(projectId, kind, externalId, sessionId)
    .run();
}
