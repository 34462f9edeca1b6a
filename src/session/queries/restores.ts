// The restores of sessions: what the database knows of a session to restore, the record of its
// restore, and the rows that follow the restored object.
import { and, eq, gt, sql } from "drizzle-orm";
import { users } from "../../account/tables.ts";
import { getIdTime } from "../../lib/ids.ts";
import { toDrizzle } from "../../storage/database.ts";
import type { RestorableSession } from "../rules/restore.ts";
import { jobs, messageTexts, sessionRestores } from "../tables.ts";

export type SessionRestore = typeof sessionRestores.$inferSelect;

interface Known {
  title: string | null;
  createdAt: number | null;
  deletedAt: number | null;
  isRunning: number;
  project: string | null;
  workspace: string | null;
}

/** What is known of a session that exists, or that a member deleted; null for an unknown one. */
export async function findRestorable(database: D1Database, id: string): Promise<RestorableSession | null> {
  const known = await database
    .prepare(
      `SELECT s.title, s.createdAt, s.deletedAt, s.isRunning, p.name AS project, w.slug AS workspace
       FROM (SELECT title, created_at AS createdAt, NULL AS deletedAt, workspace_id, project_id,
               coalesce(turn_status IN ('pending', 'running'), 0) AS isRunning FROM sessions WHERE id = ?1
             UNION ALL
             SELECT * FROM (SELECT subject, NULL, created_at, workspace_id, project_id, 0 FROM activity
               WHERE session_id = ?1 AND kind = 'session_deleted' ORDER BY seq DESC LIMIT 1)) s
       LEFT JOIN projects p ON p.id = s.project_id
       LEFT JOIN workspaces w ON w.id = s.workspace_id
       ORDER BY s.deletedAt IS NOT NULL LIMIT 1`,
    )
    .bind(id)
    .first<Known>();
  if (known === null) return null;
  const { title, createdAt, isRunning, ...facts } = known;
  return { id, ...facts, title: title ?? "", createdAt: createdAt ?? getIdTime(id), isRunning: isRunning === 1 };
}

/** The newest restore of a session; null if it was never restored. */
export async function findRestore(database: D1Database, sessionId: string): Promise<SessionRestore | null> {
  const ofSession = eq(sessionRestores.sessionId, sessionId);
  return (await toDrizzle(database).select().from(sessionRestores).where(ofSession).get()) ?? null;
}

/** Records a restore, in place of an earlier one of the session. */
export async function saveRestore(database: D1Database, restore: SessionRestore): Promise<void> {
  await toDrizzle(database)
    .insert(sessionRestores)
    .values(restore)
    .onConflictDoUpdate({ target: sessionRestores.sessionId, set: restore });
}

/** Changes the record of a restore, unless a newer one replaced it. */
export async function updateRestore(
  database: D1Database,
  restore: Pick<SessionRestore, "sessionId" | "token">,
  changes: Partial<Pick<SessionRestore, "undo" | "settledAt">>,
): Promise<void> {
  await toDrizzle(database).update(sessionRestores).set(changes).where(same(restore));
}

/** Deletes the record of a restore that was undone. */
export async function deleteRestore(
  database: D1Database,
  restore: Pick<SessionRestore, "sessionId" | "token">,
): Promise<void> {
  await toDrizzle(database).delete(sessionRestores).where(same(restore));
}

const same = ({ sessionId, token }: Pick<SessionRestore, "sessionId" | "token">) =>
  and(eq(sessionRestores.sessionId, sessionId), eq(sessionRestores.token, token));

/** Deletes the rows of a session's turns, which may be of turns that it no longer has. */
export async function deleteTurnRows(database: D1Database, sessionId: string): Promise<void> {
  const db = toDrizzle(database);
  await db.batch([
    db.delete(jobs).where(sql`${jobs.ownerType} = 'session' AND ${jobs.ownerId} = ${sessionId}`),
    db.delete(messageTexts).where(eq(messageTexts.sessionId, sessionId)),
  ]);
}

/** The people who were deleted after a time. A restored session still names them. */
export async function listPeopleDeletedSince(database: D1Database, time: number): Promise<string[]> {
  const deleted = await toDrizzle(database).select({ id: users.id }).from(users).where(gt(users.deletedAt, time)).all();
  return deleted.map(({ id }) => id);
}
