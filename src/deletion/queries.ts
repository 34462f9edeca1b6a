// Deletes a workspace or a project, and finds what is left of it. The deletion in progress is
// recorded as a deletion.
import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { PrototypeRow } from "../artifact/queries.ts";
import { prototypes } from "../artifact/tables.ts";
import { cancelAttempts } from "../provider-login/queries/connect-attempts.ts";
import { addRevocations } from "../provider-login/queries/revocations.ts";
import { runningTime } from "../sandbox/tables.ts";
import { toDrizzle } from "../storage/database.ts";
import { usage, workspaceSpend } from "../usage/tables.ts";
import type { Deletion, DeletionName } from "./rules/deletion.ts";
import { deletions } from "./tables.ts";

const triggerTables = [
  "triggers",
  "trigger_keys",
  "trigger_secrets",
  "trigger_places",
  "trigger_answers",
  "trigger_runs",
];

/**
 * Deletes a workspace, its projects, members, invitations, credentials and keys, and records a
 * deletion, in one transaction. No route finds them afterwards. False if the name is not the
 * workspace's, or the user is not its owner, or for a lone workspace if it has other members.
 */
export async function startWorkspaceDeletion(
  database: D1Database,
  { id, name, ownerId, isLone = false }: { id: string; name: string; ownerId: string; isLone?: boolean },
  now: number,
): Promise<boolean> {
  const ofRemoved = (table: string, column: string) =>
    database
      .prepare(
        `DELETE FROM ${table} WHERE ${column} = ?1 AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'workspace' AND r.id = ?1)`,
      )
      .bind(id);
  const [started] = await database.batch([
    database
      .prepare(
        `INSERT INTO removals (type, id, projects, created_at)
         SELECT 'workspace', w.id, (SELECT json_group_array(json_object('id', p.id, 'mainSandboxKey', p.main_sandbox_key))
           FROM projects p WHERE p.workspace_id = w.id), ?4
         FROM workspaces w JOIN members m ON m.workspace_id = w.id AND m.user_id = ?3 AND m.role = 'owner'
         WHERE w.id = ?1 AND w.name = ?2
           AND (?5 = 0 OR NOT EXISTS (SELECT 1 FROM members o WHERE o.workspace_id = w.id AND o.user_id <> ?3))
         ON CONFLICT (type, id) DO UPDATE SET projects = excluded.projects, created_at = excluded.created_at RETURNING id`,
      )
      .bind(id, name, ownerId, now, isLone ? 1 : 0),
    // The sweep of unconfirmed objects deletes the logo.
    database
      .prepare(
        `INSERT INTO objects_in_doubt (key, due_at) SELECT substr(w.logo, instr(w.logo, '/pictures/') + 1), ?2 FROM workspaces w
         WHERE w.id = ?1 AND instr(w.logo, '/pictures/') > 0 AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'workspace' AND r.id = ?1)
         ON CONFLICT DO NOTHING`,
      )
      .bind(id, now),
    // It also deletes the bodies of the skills.
    database
      .prepare(
        `INSERT OR REPLACE INTO objects_in_doubt (key, due_at) SELECT body_key, ?2 FROM skills WHERE owner_type = 'workspace' AND owner_id = ?1
           AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'workspace' AND r.id = ?1)`,
      )
      .bind(id, now),
    ofRemoved("network_secrets", "project_id IN (SELECT p.id FROM projects p WHERE p.workspace_id = ?1) AND ?1"),
    ...triggerTables.map((table) =>
      ofRemoved(table, "project_id IN (SELECT p.id FROM projects p WHERE p.workspace_id = ?1) AND ?1"),
    ),
    ofRemoved("projects", "workspace_id"),
    ofRemoved("members", "workspace_id"),
    ofRemoved("invitations", "workspace_id"),
    addRevocations(
      database,
      `owner_type = 'workspace' AND owner_id = ?1 AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'workspace' AND r.id = ?1)`,
      [id],
    ),
    cancelAttempts(
      database,
      `owner_type = 'workspace' AND owner_id = ?1 AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'workspace' AND r.id = ?1)`,
      id,
    ),
    ofRemoved("provider_logins", "owner_type = 'workspace' AND owner_id"),
    ofRemoved("skills", "owner_type = 'workspace' AND owner_id"),
    ofRemoved("keys", "workspace_id"),
    ofRemoved("seen_marks", "workspace_id"),
    ofRemoved("workspaces", "id"),
  ]);
  return started !== undefined && started.results.length > 0;
}

/**
 * Deletes a project and its agent tokens, and records a deletion, in one transaction. No route
 * finds them afterwards. False for an unknown id.
 */
export async function startProjectDeletion(database: D1Database, id: string, now: number): Promise<boolean> {
  const [started] = await database.batch([
    database
      .prepare(
        `INSERT INTO removals (type, id, projects, created_at)
         SELECT 'project', id, json_array(json_object('id', id, 'mainSandboxKey', main_sandbox_key)), ?2 FROM projects WHERE id = ?1
         ON CONFLICT (type, id) DO UPDATE SET projects = excluded.projects, created_at = excluded.created_at RETURNING id`,
      )
      .bind(id, now),
    // Only a few agents work at a time, but a project may have very many sessions.
    database
      .prepare(
        `DELETE FROM keys WHERE kind = 'agent' AND workspace_id = (SELECT workspace_id FROM projects WHERE id = ?1)
           AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = keys.session_id AND s.project_id = ?1)`,
      )
      .bind(id),
    database
      .prepare(
        "DELETE FROM keys WHERE kind = 'cron-run' AND workspace_id = (SELECT workspace_id FROM projects WHERE id = ?1) AND project_id = ?1",
      )
      .bind(id),
    // From now on no list shows the sandboxes of its sessions, so no plan limits them.
    database
      .prepare(
        `UPDATE sandbox_slots SET owner_type = 'deleted' WHERE owner_type = 'session'
           AND workspace_id = (SELECT workspace_id FROM projects WHERE id = ?1)
           AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = sandbox_slots.owner_id AND s.project_id = ?1)`,
      )
      .bind(id),
    ...["network_secrets", ...triggerTables].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE project_id = ?1`).bind(id),
    ),
    database.prepare("DELETE FROM projects WHERE id = ?1").bind(id),
  ]);
  return started !== undefined && started.results.length > 0;
}

/**
 * Records a deletion for each project that has sessions, but neither a row nor a deletion. It steps
 * from project to project in the index, so that it does not read every session.
 */
export async function deleteLostProjects(database: D1Database, now: number): Promise<void> {
  await database
    .prepare(
      `WITH RECURSIVE named (id) AS (
         SELECT min(project_id) FROM sessions
         UNION ALL
         SELECT (SELECT min(s.project_id) FROM sessions s WHERE s.project_id > named.id) FROM named WHERE named.id IS NOT NULL)
       INSERT INTO removals (type, id, projects, created_at)
       SELECT 'project', n.id, json_array(json_object('id', n.id, 'mainSandboxKey', NULL)), ?1 FROM named n
       WHERE n.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = n.id)
         AND NOT EXISTS (SELECT 1 FROM removals r, json_each(r.projects) removed WHERE removed.value ->> 'id' = n.id)
       ON CONFLICT DO NOTHING`,
    )
    .bind(now)
    .run();
}

/** A deletion; null if it is complete. */
export async function findDeletion(database: D1Database, name: DeletionName): Promise<Deletion | null> {
  return (await toDrizzle(database).select().from(deletions).where(named(name)).get()) ?? null;
}

/** The deletions that started before a time, ordered by id, after a given one. */
export function listDeletionsBefore(
  database: D1Database,
  before: number,
  after: string,
  limit: number,
): Promise<DeletionName[]> {
  return toDrizzle(database)
    .select({ type: deletions.type, id: deletions.id })
    .from(deletions)
    .where(and(lte(deletions.createdAt, before), gt(deletions.id, after)))
    .orderBy(asc(deletions.id))
    .limit(limit)
    .all();
}

/** A session of a deleted project. */
interface RemainingSession {
  id: string;
  sandboxKey: string;
}

/**
 * The next sessions of deleted projects: at most `busy` with a running turn or a sandbox, so that
 * both stop soon. If there are none, at most `idle` others. None of the statements reads all
 * sessions, because each page of a deletion asks again.
 */
export async function listNextSessions(
  database: Pick<D1Database, "prepare" | "batch">,
  projectIds: string[],
  { busy, idle }: { busy: number; idle: number },
): Promise<RemainingSession[]> {
  const ids = JSON.stringify(projectIds);
  const columns = "s.id, s.sandbox_key AS sandboxKey";
  const ofProjects = "s.project_id IN (SELECT value FROM json_each(?1))";
  const [running = [], awake = [], others = []] = (
    await database.batch<RemainingSession>([
      database
        .prepare(
          `SELECT ${columns} FROM sessions s INDEXED BY sessions_by_turn_status
           WHERE s.turn_status IN ('pending', 'running') AND ${ofProjects} LIMIT ?2`,
        )
        .bind(ids, busy),
      database
        .prepare(
          `SELECT ${columns} FROM sandbox_slots k CROSS JOIN sessions s INDEXED BY sessions_by_sandbox
           ON s.sandbox_key = k.sandbox_key WHERE ${ofProjects} LIMIT ?2`,
        )
        .bind(ids, busy),
      database.prepare(`SELECT ${columns} FROM sessions s WHERE ${ofProjects} LIMIT ?2`).bind(ids, idle),
    ])
  ).map(({ results }) => results);
  const found = new Map([...running, ...awake].map((session) => [session.id, session]));
  return found.size > 0 ? [...found.values()].slice(0, busy) : others;
}

/** Prototypes of deleted projects. */
export function listRemainingPrototypes(
  database: D1Database,
  projectIds: string[],
  limit: number,
): Promise<PrototypeRow[]> {
  return toDrizzle(database)
    .select()
    .from(prototypes)
    .where(sql`${prototypes.projectId} IN (SELECT value FROM json_each(${JSON.stringify(projectIds)}))`)
    .limit(limit)
    .all();
}

/**
 * Deletes the rows of deleted projects that nothing else deletes, and retires their prebuild
 * layers for the sweep. Idempotent.
 */
export async function deleteProjectRows(database: D1Database, projectIds: string[]): Promise<void> {
  const ids = JSON.stringify(projectIds);
  const ofProjects = "project_id IN (SELECT value FROM json_each(?1))";
  await database.batch([
    database.prepare(`DELETE FROM share_links WHERE ${ofProjects}`).bind(ids),
    database.prepare(`UPDATE sandbox_bases SET state = 'retired' WHERE ${ofProjects}`).bind(ids),
    database
      .prepare("DELETE FROM jobs WHERE owner_type = 'project' AND owner_id IN (SELECT value FROM json_each(?1))")
      .bind(ids),
  ]);
}

/** Deletes the record of a completed deletion. */
export async function recordDeletionEnd(database: D1Database, name: DeletionName): Promise<void> {
  const db = toDrizzle(database);
  // For a project, this matches no rows: no project has the id of a workspace.
  const ranIn = eq(runningTime.workspaceId, name.id);
  const usedIn = eq(usage.workspaceId, name.id);
  const spentIn = eq(workspaceSpend.workspaceId, name.id);
  await db.batch([
    db.delete(runningTime).where(ranIn),
    db.delete(usage).where(usedIn),
    db.delete(workspaceSpend).where(spentIn),
    db.delete(deletions).where(named(name)),
  ]);
}

const named = ({ type, id }: DeletionName) => and(eq(deletions.type, type), eq(deletions.id, id));
