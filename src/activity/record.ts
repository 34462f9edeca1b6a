// Records the activity of workspaces. An event is written once, and a sweep deletes it when it is
// too old for the feed.
import { eq } from "drizzle-orm";
import { codeHostIdentities, users } from "../account/tables.ts";
import { activityWindowMs } from "../rules/limits.ts";
import type { CodeHostAccount } from "../session/rules/pull-request/state.ts";
import { toDrizzle } from "../storage/database.ts";
import { type FeedEvent, listRecordedEvents, toFeedEvent } from "./queries.ts";
import { activityCountMs, hoursOfDay, type RecordedEvent } from "./rules/activity.ts";

/**
 * An SQL expression: milliseconds since 1970. The time of an event comes from the database, so that
 * it never decreases along the feed.
 */
const now = "cast(unixepoch('subsec') * 1000 AS INTEGER)";

/**
 * Records events in order and returns them. An event that was already recorded does not change.
 * `writes` run before them in the same round trip, whose results are returned in the same order.
 */
export async function recordWithWrites(
  database: D1Database,
  events: readonly RecordedEvent[],
  writes: readonly D1PreparedStatement[],
): Promise<{ recorded: FeedEvent[]; results: D1Result<Record<string, unknown>>[] }> {
  const written = await Promise.all(
    events.map(async (event) => recording(database, { ...event, payload: await readPayload(database, event) })),
  );
  const read = listRecordedEvents(
    database,
    events.map(({ id }) => id),
  );
  const results = await database.batch<Record<string, unknown>>([...writes, ...written.flat(), read]);
  return { recorded: (results.at(-1)?.results ?? []).map(toFeedEvent), results: results.slice(0, writes.length) };
}

/** Records events in order and returns them. One that was already recorded does not change. */
export async function recordEvents(database: D1Database, events: readonly RecordedEvent[]): Promise<FeedEvent[]> {
  return (await recordWithWrites(database, events, [])).recorded;
}

/**
 * Records an event in the same batch as the change that it describes. Records nothing if the
 * statement before it changed nothing.
 */
export function recordChange(database: D1Database, event: RecordedEvent): D1PreparedStatement[] {
  return recording(database, event, "changes() > 0");
}

/**
 * Writes an event, and counts it if it is new. The two statements must be adjacent in one batch.
 */
function recording(
  database: D1Database,
  { id, workspaceId, projectId, sessionId, kind, doer, subject, payload, once = null }: RecordedEvent,
  condition = "true",
): D1PreparedStatement[] {
  const source = doer?.source ? JSON.stringify(doer.source) : null;
  const insertion = database
    .prepare(
      `INSERT INTO activity
         (id, workspace_id, project_id, project_name, session_id, kind, actor_id, source, subject, payload, once, created_at)
       SELECT ?1, ?2, ?3, (SELECT name FROM projects WHERE id = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10,
         max(${now}, coalesce((SELECT created_at FROM activity ORDER BY seq DESC LIMIT 1), 0))
       WHERE ${condition}
       ON CONFLICT DO NOTHING`,
    )
    .bind(
      ...[id, workspaceId, projectId, sessionId, kind, doer?.userId ?? null, source, subject],
      ...[JSON.stringify(payload), once],
    );
  return [insertion, database.prepare(countingOne).bind(id)];
}

/** Counts the event `?1` for its workspace and its project, for everybody and for its actor. */
const countingOne = `
  INSERT INTO activity_counts (scope_id, actor_id, kind, hour, events)
  SELECT scope.value, actor.value, a.kind, a.created_at / ${activityCountMs}, 1
  FROM activity a, json_each(json_array(a.workspace_id, a.project_id)) scope, json_each(json_array('', a.actor_id)) actor
  WHERE a.id = ?1 AND changes() > 0 AND scope.value IS NOT NULL AND actor.value IS NOT NULL
  ON CONFLICT (scope_id, actor_id, kind, hour) DO UPDATE SET events = events + 1`;

/** The payload of an event. A merge contains the user who connected the account that merged. */
async function readPayload(database: D1Database, { kind, payload }: RecordedEvent): Promise<Record<string, unknown>> {
  const account = payload.mergedBy as CodeHostAccount | null | undefined;
  if (kind !== "pr_merged" || !account) return payload;
  const user = await toDrizzle(database)
    .select({ userId: users.id, name: users.name })
    .from(codeHostIdentities)
    .innerJoin(users, eq(users.id, codeHostIdentities.userId))
    .where(eq(codeHostIdentities.hostUserId, account.hostUserId))
    .get();
  const mergedBy = { login: account.login, userId: user?.userId ?? null, name: user?.name ?? null };
  return { ...payload, mergedBy };
}

/**
 * Deletes up to `atMost` events that the feed no longer shows, and as many hourly and daily counts.
 * No total reads the count of an hour or a day that the feed shows only partly, so the counts of
 * younger ones do not change.
 */
export async function sweepActivity(database: D1Database, now: number, atMost: number): Promise<void> {
  const from = now - activityWindowMs;
  const hour = Math.floor(from / activityCountMs);
  await database.batch([
    database
      .prepare("DELETE FROM activity WHERE seq IN (SELECT seq FROM activity WHERE created_at <= ?1 LIMIT ?2)")
      .bind(from, atMost),
    database
      .prepare(
        `DELETE FROM activity_counts WHERE (scope_id, actor_id, kind, hour) IN
           (SELECT scope_id, actor_id, kind, hour FROM activity_counts WHERE hour < ?1 LIMIT ?2)`,
      )
      .bind(hour, atMost),
    database
      .prepare(
        `DELETE FROM activity_daily_counts WHERE (scope_id, actor_id, kind, day) IN
           (SELECT scope_id, actor_id, kind, day FROM activity_daily_counts WHERE day < ?1 LIMIT ?2)`,
      )
      .bind(Math.floor(hour / hoursOfDay), atMost),
  ]);
}

/**
 * Deletes up to `atMost` events of a deleted workspace. Returns the number of deleted events.
 * Nothing reads the counts of the workspace; the sweep deletes them.
 */
export async function deleteActivity(database: D1Database, workspaceId: string, atMost: number): Promise<number> {
  const { meta } = await database
    .prepare("DELETE FROM activity WHERE seq IN (SELECT seq FROM activity WHERE workspace_id = ?1 LIMIT ?2)")
    .bind(workspaceId, atMost)
    .run();
  return meta.changes;
}

/**
 * Moves the Seen Mark of a joining member to the newest event, because earlier events are not New
 * to them.
 */
export function recordJoining(
  database: D1Database,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO seen_marks (workspace_id, user_id, seq)
       SELECT ?1, ?2, (SELECT coalesce(max(seq), 0) FROM activity) WHERE changes() > 0
       ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)`,
    )
    .bind(workspaceId, userId);
}
