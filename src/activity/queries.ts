// Reads the feed of a member: a page, its total, and the member's Seen Marks, in one transaction.
// The page is found in indexes, by merging the newest (or oldest) events of each workspace, or of
// each kind. The total comes from hourly and daily counts, so that it does not read a month of
// events.
import {
  type ActivityKind,
  type ActivitySource,
  activityCountMs,
  activityKinds,
  hoursOfDay,
} from "./rules/activity.ts";
import type { Feed, FeedFacts } from "./rules/feed.ts";

export interface FeedReader {
  userId: string;
  /**
   * The only workspace that the credential reaches; null if it reaches all workspaces of its user.
   */
  workspaceId: string | null;
}

/** A recorded event, with the current names. */
export interface FeedEvent {
  seq: number;
  id: string;
  workspaceId: string;
  workspaceName: string;
  projectId: string | null;
  projectName: string | null;
  sessionId: string | null;
  /** False once the session is deleted. */
  isSessionThere: boolean;
  kind: ActivityKind;
  actorId: string | null;
  actorName: string | null;
  actorImageUrl: string | null;
  source: ActivitySource | null;
  subject: string | null;
  payload: Record<string, unknown>;
  createdAt: number;
  /** The reader's Seen Mark of the event's workspace, before the call. */
  seenSeq: number;
}

export interface FeedPage {
  facts: FeedFacts;
  events: FeedEvent[];
  hasMore: boolean;
  total: number;
  /** The workspaces that the reader reaches, ordered by name. */
  workspaces: { id: string; name: string }[];
}

/** Greater than any position in the feed. */
const end = Number.MAX_SAFE_INTEGER;

/**
 * Reads a page in one round trip. If the feed marks events as seen, the marks move in the same
 * transaction, only past the events that it returns.
 */
export async function readFeed(database: D1Database, reader: FeedReader, feed: Feed): Promise<FeedPage> {
  const statements = [
    database.prepare(reachedWorkspaces).bind(reader.userId, reader.workspaceId),
    database.prepare(there).bind(feed.workspaceId, feed.projectId),
    bound(database, reader, feed, pageStatement(feed)),
    bound(database, reader, feed, totalStatement(feed)),
    ...(feed.marksSeen ? [bound(database, reader, feed, marking(feed))] : []),
  ];
  const [workspaces, facts, rows, total] = await database.batch<Record<string, unknown>>(statements);
  const found = (rows?.results ?? []).map(toFeedEvent);
  const reached = (workspaces?.results ?? []) as { id: string; name: string }[];
  const [exists] = facts?.results ?? [];
  return {
    facts: {
      isWorkspace: exists?.workspaceId != null,
      projectWorkspaceId: (exists?.projectWorkspaceId as string | null) ?? null,
      reached: reached.map(({ id }) => id),
    },
    events: found.slice(0, feed.pageSize),
    hasMore: found.length > feed.pageSize,
    total: Number(total?.results[0]?.total ?? 0),
    workspaces: reached,
  };
}

const reachedWorkspaces = `
  SELECT w.id, w.name FROM members m JOIN workspaces w ON w.id = m.workspace_id AND w.suspended_at IS NULL
  WHERE m.user_id = ?1 AND (?2 IS NULL OR w.id = ?2) ORDER BY w.name, w.id`;

const there = `
  SELECT (SELECT id FROM workspaces WHERE id = ?1) AS workspaceId,
    (SELECT workspace_id FROM projects WHERE id = ?2) AS projectWorkspaceId`;

/** Binds a statement that starts with `getScopesSql`. */
function bound(database: D1Database, reader: FeedReader, feed: Feed, sql: string): D1PreparedStatement {
  return database
    .prepare(sql)
    .bind(
      reader.userId,
      reader.workspaceId,
      feed.workspaceId,
      feed.since,
      JSON.stringify(feed.kinds ?? activityKinds),
      feed.behind,
      feed.pageSize,
      feed.projectId,
    );
}

/**
 * The scopes of a feed: workspaces, or kinds of events in a workspace or a project. An index
 * returns the events of each scope in order. A scope starts after the position `start`, and its
 * part of the page is between `low` and `high`. `asked` names every parameter, because a statement
 * that omits some accepts fewer.
 */
function getScopesSql({ kinds, projectId, isNewAlone, direction }: Feed): string {
  const byKind = kinds !== null || projectId !== null;
  const start = isNewAlone ? "max(since.seq, r.mark)" : "since.seq";
  const low = direction === "oldest-first" ? `max(${start}, coalesce(?6, 0))` : start;
  const high = direction === "newest-first" ? `coalesce(?6, ${end})` : `${end}`;
  return `
  WITH asked AS (SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8),
  since (seq) AS (
    SELECT coalesce((SELECT seq FROM activity WHERE created_at >= ?4 ORDER BY created_at, seq LIMIT 1), ${end}) - 1),
  reached (id, mark) AS (
    SELECT m.workspace_id, coalesce(s.seq, 0)
    FROM members m JOIN workspaces w ON w.id = m.workspace_id AND w.suspended_at IS NULL
      LEFT JOIN seen_marks s ON s.workspace_id = m.workspace_id AND s.user_id = m.user_id
    WHERE m.user_id = ?1 AND (?2 IS NULL OR m.workspace_id = ?2) AND (?3 IS NULL OR m.workspace_id = ?3)),
  scopes (id, kind, start, low, high) AS MATERIALIZED (
    SELECT ${projectId === null ? "r.id" : "p.id"}, ${byKind ? "k.value" : "NULL"}, ${start}, ${low}, ${high}
    FROM reached r, since
    ${projectId === null ? "" : "JOIN projects p ON p.workspace_id = r.id AND p.id = ?8"}
    ${byKind ? ", json_each(?5) k" : ""})`;
}

/** An SQL condition: the event `a` belongs to the scope `s` and is shown in the feed. */
function isOfScope({ kinds, projectId, isNewAlone }: Feed): string {
  const kind = kinds === null && projectId === null ? "" : "AND a.kind = s.kind";
  return `a.${projectId === null ? "workspace_id" : "project_id"} = s.id ${kind} ${isNewAlone ? "AND a.actor_id IS NOT ?1" : ""}`;
}

/** The columns of an event: its own, and those that `withNames` joins. */
const columns = `a.seq, a.id, a.workspace_id AS workspaceId, w.name AS workspaceName, a.project_id AS projectId,
    a.project_name AS projectName, a.session_id AS sessionId, x.id IS NOT NULL AS isSessionThere, a.kind,
    a.actor_id AS actorId, u.name AS actorName, u.image_url AS actorImageUrl, a.source, a.subject, a.payload,
    a.created_at AS createdAt`;
const withNames = `JOIN workspaces w ON w.id = a.workspace_id LEFT JOIN users u ON u.id = a.actor_id
    LEFT JOIN projects p ON p.id = a.project_id LEFT JOIN sessions x ON x.id = a.session_id AND x.project_id = p.id`;

/**
 * A statement that reads recorded events by their ids, in order, without a Seen Mark. `toFeedEvent`
 * converts its rows.
 */
export function listRecordedEvents(database: D1Database, ids: readonly string[]): D1PreparedStatement {
  return database
    .prepare(
      `SELECT ${columns}, 0 AS seenSeq FROM activity a ${withNames}
       WHERE a.id IN (SELECT value FROM json_each(?1)) ORDER BY a.seq`,
    )
    .bind(JSON.stringify(ids));
}

/** Reads recorded events by their ids, in order. Events that were not recorded are omitted. */
export async function readRecorded(database: D1Database, ids: readonly string[]): Promise<FeedEvent[]> {
  return (await listRecordedEvents(database, ids).all<Record<string, unknown>>()).results.map(toFeedEvent);
}

/**
 * The index that returns the events of a scope in order. Without it, the planner would read the
 * whole table in the order of `seq`.
 */
function getIndexName({ kinds, projectId }: Feed): string {
  if (projectId !== null) return "activity_by_project_and_kind";
  return kinds === null ? "activity_by_workspace" : "activity_by_workspace_and_kind";
}

/** The positions of the page, and of one event after it. */
function getPageSql(feed: Feed): string {
  const order = feed.direction === "newest-first" ? "DESC" : "ASC";
  return `${getScopesSql(feed)},
  page (seq) AS MATERIALIZED (
    SELECT p.value FROM scopes s, json_each((
      SELECT json_group_array(seq) FROM (
        SELECT a.seq FROM activity a INDEXED BY ${getIndexName(feed)} WHERE ${isOfScope(feed)} AND a.seq > s.low AND a.seq < s.high
        ORDER BY a.seq ${order} LIMIT ?7 + 1))) p
    ORDER BY p.value ${order} LIMIT ?7 + 1)`;
}

function pageStatement(feed: Feed): string {
  return `${getPageSql(feed)}
  SELECT ${columns}, r.mark AS seenSeq
  FROM page JOIN activity a ON a.seq = page.seq JOIN reached r ON r.id = a.workspace_id ${withNames}
  ORDER BY page.seq ${feed.direction === "newest-first" ? "DESC" : "ASC"}`;
}
/**
 * The total of a feed. In each scope, the events in the scope's first hour are counted one by one,
 * later hours of that day use hourly counts, and later days use daily counts. The reader's own
 * events are subtracted if only New events are counted. The kinds are joined in this order, so that
 * each is a range of the counts' key.
 */
function totalStatement(feed: Feed): string {
  const sum = (table: string, actor: string, span: string) => `(
    SELECT coalesce(sum(c.events), 0) FROM json_each(?5) k CROSS JOIN ${table} c
    ON c.scope_id = s.id AND c.actor_id = ${actor} AND c.kind = k.value AND ${span}
    WHERE s.kind IS NULL OR k.value = s.kind)`;
  const counts = (actor: string) =>
    `${sum("activity_counts", actor, `c.hour >= s.hour AND c.hour < s.day * ${hoursOfDay}`)}
     + ${sum("activity_daily_counts", actor, "c.day >= s.day")}`;
  return `${getScopesSql(feed)},
  started AS (
    SELECT s.*, 1 + (SELECT created_at FROM activity WHERE seq > s.start ORDER BY seq LIMIT 1) / ${activityCountMs} AS hour FROM scopes s),
  split AS MATERIALIZED (
    SELECT b.*, (b.hour + ${hoursOfDay - 1}) / ${hoursOfDay} AS day,
      coalesce((SELECT seq FROM activity WHERE created_at >= b.hour * ${activityCountMs} ORDER BY created_at, seq LIMIT 1), ${end}) AS next
    FROM started b)
  SELECT coalesce(sum((SELECT count(*) FROM activity a INDEXED BY ${getIndexName(feed)} WHERE ${isOfScope(feed)} AND a.seq > s.start AND a.seq < s.next)
    + (${counts("''")}) ${feed.isNewAlone ? `- (${counts("?1")})` : ""}), 0) AS total
  FROM split s`;
}

/**
 * Moves the marks to the end of the page. If nothing New is left, moves them to the end of the
 * feed, past the reader's own events. The marks never move back.
 */
function marking(feed: Feed): string {
  return `${getPageSql(feed)}
  INSERT INTO seen_marks (workspace_id, user_id, seq)
  SELECT r.id, ?1, CASE WHEN (SELECT count(*) FROM page) > ?7
    THEN (SELECT seq FROM page ORDER BY seq LIMIT 1 OFFSET ?7 - 1) ELSE (SELECT coalesce(max(seq), 0) FROM activity) END
  FROM reached r WHERE true
  ON CONFLICT (workspace_id, user_id) DO UPDATE SET seq = max(seq, excluded.seq)`;
}

/**
 * Moves a member's marks past an event of one of their workspaces; of all workspaces if none is
 * named. False if there is no such event or workspace.
 */
export async function saveSeenMarks(
  database: D1Database,
  { userId, workspaceId, through }: { userId: string; workspaceId: string | null; through: string },
): Promise<boolean> {
  const moved = await database
    .prepare(
      `INSERT INTO seen_marks (workspace_id, user_id, seq)
       SELECT m.workspace_id, m.user_id, e.seq
       FROM activity e JOIN members own ON own.workspace_id = e.workspace_id AND own.user_id = ?1
         JOIN members m ON m.user_id = ?1 AND (?2 IS NULL OR m.workspace_id = ?2)
       WHERE e.id = ?3
       ON CONFLICT (workspace_id, user_id) DO UPDATE SET seq = max(seq, excluded.seq)`,
    )
    .bind(userId, workspaceId, through)
    .run();
  return moved.meta.changes > 0;
}

/** Converts a row of `columns` to an event. */
export function toFeedEvent(row: Record<string, unknown>): FeedEvent {
  const { source, payload, isSessionThere, ...columns } = row;
  // The statement selects exactly these columns.
  return {
    ...(columns as unknown as Omit<FeedEvent, "source" | "payload" | "isSessionThere">),
    isSessionThere: isSessionThere === 1,
    source: source === null ? null : JSON.parse(String(source)),
    payload: JSON.parse(String(payload)),
  };
}
