// Reads and writes the runs of triggers.
import { and, count, desc, eq, getTableColumns, isNull } from "drizzle-orm";
import type { SessionStatus } from "../../session/rules/status.ts";
import { sessions } from "../../session/tables.ts";
import { toDrizzle } from "../../storage/database.ts";
import { saveWebhookEvent } from "../../webhook/queries.ts";
import type { WebhookEvent } from "../../webhook/rules/event.ts";
import { triggerRuns } from "../tables.ts";

export type TriggerRun = typeof triggerRuns.$inferSelect;
/** With a reason, it is known to be skipped. */
type NewRun = Omit<TriggerRun, "outcome" | "reason"> & Partial<Pick<TriggerRun, "reason">>;

const dayMs = 24 * 60 * 60_000;
const runColumns = `id, project_id AS projectId, trigger_id AS triggerId, trigger_name AS triggerName, cause, url,
  session_id AS sessionId, outcome, reason, created_at AS createdAt`;

/** How often a trigger runs in 24 hours, also for an account whose causes end like this. */
export interface RunCaps {
  perDay: number;
  perAccount?: { causeEnd: string; perDay: number } | null;
  /** What the sessions that it made may cost since a time, in US dollars. */
  spend?: { limitUsd: number; since: number } | null;
}

/**
 * Which cap leaves no run; null if all leave one. It is a table of one row, and takes the values of
 * `listCaps`.
 */
const cappedBy = `(SELECT CASE
    WHEN count(*) >= ?3 OR count(*) FILTER (WHERE ?4 <> '' AND cause LIKE '%' || ?4) >= ?5 THEN 'cap_day'
    WHEN ?6 IS NOT NULL AND (SELECT coalesce(sum(nano_usd), 0) / 1e9 FROM usage WHERE trigger_id = ?1 AND at >= ?7) >= ?6
    THEN 'cap_spend' END AS cap
  FROM trigger_runs WHERE trigger_id = ?1 AND created_at > ?2 AND outcome IS NOT 'skipped')`;
const listCaps = (triggerId: string, now: number, { perDay, perAccount, spend }: RunCaps) =>
  [
    ...[triggerId, now - dayMs, perDay, perAccount?.causeEnd ?? "", perAccount?.perDay ?? 1],
    ...[spend?.limitUsd ?? null, spend?.since ?? 0],
  ] as const;

/**
 * Records a run once for its cause, and returns it. A run beyond a cap is recorded as skipped. With
 * `isAgain`, a run that was skipped begins again.
 */
export async function claimTriggerRun(
  database: D1Database,
  run: NewRun,
  caps: RunCaps,
  isAgain = false,
): Promise<TriggerRun> {
  const { id, projectId, triggerId, triggerName, cause, url, sessionId, createdAt, reason = null } = run;
  const [, found] = await database.batch<TriggerRun>([
    database
      .prepare(
        `INSERT INTO trigger_runs (trigger_id, id, project_id, trigger_name, cause, url, session_id, created_at, outcome, reason)
         SELECT ?1, ?8, ?9, ?10, ?11, ?12, ?13, ?14, iif(coalesce(?15, d.cap) IS NULL, NULL, 'skipped'),
           coalesce(?15, d.cap) FROM ${cappedBy} d WHERE true
         ON CONFLICT (trigger_id, cause) DO UPDATE SET created_at = excluded.created_at, outcome = excluded.outcome,
           reason = excluded.reason WHERE ?16 AND trigger_runs.outcome = 'skipped'`,
      )
      .bind(
        ...listCaps(triggerId, createdAt, caps),
        ...([id, projectId, triggerName, cause, url, sessionId, createdAt, reason, Number(isAgain)] as const),
      ),
    database
      .prepare(`SELECT ${runColumns} FROM trigger_runs WHERE trigger_id = ?1 AND cause = ?2`)
      .bind(triggerId, cause),
  ]);
  const [row] = found?.results ?? [];
  // The row was there, or has just been written.
  if (!row) throw new Error("The claim of a run found no row.");
  return row;
}

/**
 * Opens the run of a cause again that was skipped as `off`, and returns it, as `claimTriggerRun`
 * does. Null if the cause has no run.
 */
export async function claimOffRun(
  database: D1Database,
  { triggerId, cause, createdAt }: Pick<NewRun, "triggerId" | "cause" | "createdAt">,
  caps: RunCaps,
): Promise<TriggerRun | null> {
  const [, found] = await database.batch<TriggerRun>([
    database
      .prepare(
        `UPDATE trigger_runs SET created_at = ?9, outcome = iif(d.cap IS NULL, NULL, 'skipped'), reason = d.cap
         FROM ${cappedBy} d WHERE trigger_id = ?1 AND cause = ?8 AND outcome = 'skipped' AND reason = 'off'`,
      )
      .bind(...listCaps(triggerId, createdAt, caps), cause, createdAt),
    database
      .prepare(`SELECT ${runColumns} FROM trigger_runs WHERE trigger_id = ?1 AND cause = ?2`)
      .bind(triggerId, cause),
  ]);
  return found?.results[0] ?? null;
}

/** Why a new run would be skipped without a message: its cause has one, or a cap is reached. */
export async function findRunBar(
  database: D1Database,
  { triggerId, cause, caps, now }: { triggerId: string; cause: string; caps: RunCaps; now: number },
): Promise<"duplicate" | "cap_day" | "cap_spend" | null> {
  return await database
    .prepare(
      `SELECT iif(EXISTS (SELECT 1 FROM trigger_runs WHERE trigger_id = ?1 AND cause = ?8), 'duplicate', d.cap) AS bar
       FROM ${cappedBy} d`,
    )
    .bind(...listCaps(triggerId, now, caps), cause)
    .first<"duplicate" | "cap_day" | "cap_spend">("bar");
}

/** Records the end of a run. */
export async function endTriggerRun(
  database: D1Database,
  id: string,
  { outcome, reason, sessionId }: Pick<TriggerRun, "outcome" | "reason"> & Partial<Pick<TriggerRun, "sessionId">>,
): Promise<void> {
  const end = { outcome, reason, ...(sessionId === undefined ? {} : { sessionId }) };
  await toDrizzle(database).update(triggerRuns).set(end).where(eq(triggerRuns.id, id)).run();
}

/**
 * Records that a run was skipped, once a day for its reason and session: a program that calls
 * again and again leaves one row. A run that a person asked for is recorded for itself. Returns the
 * row. Its cause is free to run later. `events` are kept if it is recorded, and there are webhooks.
 */
export async function endSkippedRun(
  database: D1Database,
  { id, triggerId, cause: of }: TriggerRun,
  {
    reason,
    sessionId,
    isAsked,
    day,
    events,
  }: Pick<TriggerRun, "reason" | "sessionId"> & { isAsked: boolean; day: number; events: readonly WebhookEvent[] },
): Promise<TriggerRun> {
  const cause = `skipped ${reason} ${isAsked ? of : `${day} ${sessionId}`}`;
  const batched = await database.batch<TriggerRun>([
    database
      .prepare(
        `UPDATE OR IGNORE trigger_runs SET cause = ?2, outcome = 'skipped', reason = ?3, session_id = ?4 WHERE id = ?1`,
      )
      .bind(id, cause, reason, sessionId),
    ...(events.length === 0 ? [] : [saveWebhookEvent(database, ...events)]),
    database.prepare("DELETE FROM trigger_runs WHERE id = ?1 AND cause <> ?2").bind(id, cause),
    database
      .prepare(`SELECT ${runColumns} FROM trigger_runs WHERE trigger_id = ?1 AND cause = ?2`)
      .bind(triggerId, cause),
  ]);
  const row = batched.at(-1)?.results[0];
  // The row was there, or is this run's.
  if (!row) throw new Error("The end of a run found no row.");
  return row;
}

/** Deletes a run that has not ended, and is to be called again. */
export async function deleteTriggerRun(database: D1Database, id: string): Promise<void> {
  const unfinished = and(eq(triggerRuns.id, id), isNull(triggerRuns.outcome));
  await toDrizzle(database).delete(triggerRuns).where(unfinished).run();
}

/** A run with the status of its session; null without a session. */
export type ListedRun = TriggerRun & { sessionStatus: SessionStatus | null };

/** The runs of a project, newest first. `page` counts from 1. */
export async function listTriggerRuns(
  database: D1Database,
  {
    projectId,
    triggerId,
    page,
    pageSize,
  }: { projectId: string; triggerId?: string | undefined; page: number; pageSize: number },
): Promise<{ runs: ListedRun[]; total: number }> {
  const db = toDrizzle(database);
  const wanted = and(
    eq(triggerRuns.projectId, projectId),
    triggerId === undefined ? undefined : eq(triggerRuns.triggerId, triggerId),
  );
  const [runs, counted] = await db.batch([
    db
      .select({ ...getTableColumns(triggerRuns), sessionStatus: sessions.status })
      .from(triggerRuns)
      .leftJoin(sessions, eq(sessions.id, triggerRuns.sessionId))
      .where(wanted)
      .orderBy(desc(triggerRuns.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.select({ total: count() }).from(triggerRuns).where(wanted),
  ]);
  return { runs, total: counted[0]?.total ?? 0 };
}

/** Deletes a page of runs that started before a time. Returns how many. */
export async function deleteOldTriggerRuns(database: D1Database, before: number, atMost: number): Promise<number> {
  const { meta } = await database
    .prepare(
      "DELETE FROM trigger_runs WHERE rowid IN (SELECT rowid FROM trigger_runs WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)",
    )
    .bind(before, atMost)
    .run();
  return meta.changes;
}
