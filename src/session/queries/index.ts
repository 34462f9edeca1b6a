// The index of sessions and jobs. Effects of the session objects write it; lists and access checks
// read it.
import { and, eq, getTableColumns, inArray, lt, ne, or, sql } from "drizzle-orm";
import { artifacts } from "../../artifact/tables.ts";
import type { TurnOwner } from "../../chat/rules/chat.ts";
import type { Turn } from "../../chat/rules/turn.ts";
import { shareLinks } from "../../preview/tables.ts";
import { projects, statusesAtWork } from "../../project/tables.ts";
import { backlogPerWorkspace } from "../../rules/limits.ts";
import { toListedPrompt } from "../../rules/listed-prompt.ts";
import { sandboxSlots } from "../../sandbox/tables.ts";
import { toDrizzle } from "../../storage/database.ts";
import { triggerAnswers, triggerPlaces } from "../../trigger/tables.ts";
import { toSearchable, toSearchablePrompt } from "../rules/filter.ts";
import { findNeedsYouReason } from "../rules/needs-you.ts";
import type { SessionState } from "../rules/session.ts";
import { toShownSession } from "../rules/summary.ts";
import { jobs, messageTexts, sessionMetadata, sessionRestores, sessionSeen, sessions } from "../tables.ts";

function sessionRow(state: SessionState): typeof sessions.$inferInsert {
  const { assignee, ...session } = toShownSession(state);
  const { turn, upNext, pause } = state.chat;
  return {
    ...session,
    assigneeKind: assignee?.kind ?? null,
    assigneeId: assignee?.kind === "member" ? assignee.userId : null,
    turnId: turn?.id ?? null,
    turnNumber: turn?.number ?? null,
    turnStatus: turn?.status ?? null,
    queueCount: upNext.length,
    pauseReason: pause?.reason ?? null,
    pausedAt: pause?.pausedAt ?? null,
    needsYou: findNeedsYouReason(state),
    filedCronId: session.filedBy?.kind === "cron" ? session.filedBy.cronId : null,
    filedRunId: session.filedBy?.kind === "cron" ? session.filedBy.runId : null,
    ...toListedPrompt(session),
    searchTitle: toSearchable(session.title),
    searchPrompt: toSearchablePrompt(session.prompt ?? ""),
  };
}

/** Writes a session's row from the current state of its object. Idempotent. */
export async function indexSession(database: D1Database, state: SessionState): Promise<void> {
  const row = sessionRow(state);
  await toDrizzle(database).insert(sessions).values(row).onConflictDoUpdate({ target: sessions.id, set: row }).run();
}

/**
 * Writes the row of a session that is about to start in the Backlog. False if the workspace's
 * Backlog is full. One statement checks and writes, so that concurrent requests cannot exceed the
 * limit. Idempotent.
 */
export async function claimBacklogPlace(database: D1Database, state: SessionState): Promise<boolean> {
  const row: Record<string, unknown> = sessionRow(state);
  const values = Object.entries(getTableColumns(sessions)).map(
    ([name, column]) => sql`${sql.param(row[name] ?? null, column)}`,
  );
  const others = sql`SELECT count(*) FROM sessions WHERE workspace_id = ${state.session.workspaceId} AND status = 'backlog' AND id <> ${state.session.id}`;
  const claimed = await toDrizzle(database)
    .insert(sessions)
    .select(sql`SELECT ${sql.join(values, sql`, `)} WHERE (${others}) < ${backlogPerWorkspace}`)
    .onConflictDoUpdate({ target: sessions.id, set: { id: state.session.id } })
    .returning({ id: sessions.id });
  return claimed.length > 0;
}

/** Writes the metadata of a session, for lists that ask for it. Idempotent. */
export async function writeMetadataRows(database: D1Database, { session }: SessionState): Promise<void> {
  const ofSession = eq(sessionMetadata.sessionId, session.id);
  const json = JSON.stringify(session.metadata);
  const db = toDrizzle(database);
  await db.batch([
    db.delete(sessionMetadata).where(ofSession),
    db.insert(sessionMetadata).select(sql`SELECT ${session.id}, key, value FROM json_each(${json})`),
  ]);
}

/** Writes a turn's row of the job index. Idempotent. */
export async function indexTurn(database: D1Database, owner: TurnOwner, turn: Turn): Promise<void> {
  const { id, number, status, payer, createdAt } = turn;
  const payerId = payer?.type === "member" ? payer.userId : null;
  await toDrizzle(database)
    .insert(jobs)
    .values({ id, ownerType: owner.type, ownerId: owner.id, number, status, payerId, createdAt })
    .onConflictDoUpdate({ target: jobs.id, set: { status, payerId } })
    .run();
}

/** True if the job belongs to another owner. */
export async function isJobElsewhere(database: D1Database, jobId: string, owner: TurnOwner): Promise<boolean> {
  const elsewhere = and(eq(jobs.id, jobId), or(ne(jobs.ownerId, owner.id), ne(jobs.ownerType, owner.type)));
  return (await toDrizzle(database).select({ id: jobs.id }).from(jobs).where(elsewhere).get()) !== undefined;
}

/** The owners of the unfinished turns that a user's subscriptions pay for. */
export async function listOwnersPaidBy(database: D1Database, userId: string): Promise<TurnOwner[]> {
  // Must match the condition of the index.
  const unfinished = sql`payer_id IS NOT NULL AND status IN ('pending', 'running')`;
  return await toDrizzle(database)
    .selectDistinct({ type: jobs.ownerType, id: jobs.ownerId })
    .from(jobs)
    .where(and(eq(jobs.payerId, userId), unfinished))
    .all();
}

/** The sessions of a workspace with a running turn. */
export async function listSessionsAtWork(database: D1Database, workspaceId: string): Promise<string[]> {
  const found = await toDrizzle(database)
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(inArray(sessions.turnStatus, ["pending", "running"]), eq(sessions.workspaceId, workspaceId)))
    .all();
  return found.map(({ id }) => id);
}

/**
 * The order for a sweep that reads only some of the rows. It is random, so that rows which stay do
 * not hide the others.
 */
const inAnyOrder = sql`random()`;

/** Projects with a running Deploy. */
export async function listProjectsAtWork(database: D1Database, limit: number): Promise<TurnOwner[]> {
  // Must match the condition of the index.
  const atWork = sql.raw(`deploy_status IN (${statusesAtWork})`);
  const found = await toDrizzle(database)
    .select({ id: projects.id })
    .from(projects)
    .where(atWork)
    .orderBy(inAnyOrder)
    .limit(limit)
    .all();
  return found.map(({ id }) => ({ type: "project", id }));
}

/**
 * Owners whose newest turn is unfinished and whose row is older than `before`. The progress of a
 * turn does not update the row.
 */
export async function listSilentTurnOwners(database: D1Database, before: number, limit: number): Promise<TurnOwner[]> {
  const found = await toDrizzle(database)
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(inArray(sessions.turnStatus, ["pending", "running"]), lt(sessions.updatedAt, before)))
    .orderBy(inAnyOrder)
    .limit(limit)
    .all();
  return found.map(({ id }) => ({ type: "session", id }));
}

/**
 * Deletes the rows that list, count or link to a session: its own, and those of its jobs, its
 * artifacts and its public links. Its sandbox may still be ending, but no longer counts towards the
 * plan's limit, because nobody could find it to stop it. Idempotent.
 */
export async function deleteSessionRows(database: D1Database, sessionId: string): Promise<void> {
  const db = toDrizzle(database);
  await db.batch([
    db.delete(shareLinks).where(eq(shareLinks.sessionId, sessionId)),
    db.delete(sessions).where(eq(sessions.id, sessionId)),
    db
      .update(sandboxSlots)
      .set({ ownerType: "deleted" })
      .where(and(eq(sandboxSlots.ownerType, "session"), eq(sandboxSlots.ownerId, sessionId))),
    db.delete(jobs).where(and(eq(jobs.ownerType, "session"), eq(jobs.ownerId, sessionId))),
    db.delete(artifacts).where(eq(artifacts.ownerId, sessionId)),
    db.delete(sessionMetadata).where(eq(sessionMetadata.sessionId, sessionId)),
    db.delete(messageTexts).where(eq(messageTexts.sessionId, sessionId)),
    db.delete(sessionSeen).where(eq(sessionSeen.sessionId, sessionId)),
    db.delete(sessionRestores).where(eq(sessionRestores.sessionId, sessionId)),
    db.delete(triggerPlaces).where(eq(triggerPlaces.sessionId, sessionId)),
    db.delete(triggerAnswers).where(eq(triggerAnswers.sessionId, sessionId)),
  ]);
}

/**
 * Ended sessions whose sandbox may still have saved work. The sandboxes of sessions that ended
 * between two times, and of those that ended earlier and still keep a base. In key order, after a
 * given key. Times are in milliseconds since the epoch.
 */
export async function listEndedSandboxes(
  database: D1Database,
  { from, to }: { from: number; to: number },
  after: string,
  limit: number,
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT sandbox_key AS key FROM sessions WHERE ended_at >= ?1 AND ended_at < ?2 AND +sandbox_key > ?3
       UNION
       SELECT u.sandbox_key FROM base_users u CROSS JOIN sessions s ON s.sandbox_key = u.sandbox_key
       WHERE s.ended_at < ?1 AND u.sandbox_key > ?3
       ORDER BY 1 LIMIT ?4`,
    )
    // Starts from the bases in use, which are fewer than all ended sessions.
    .bind(from, to, after, limit)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}
