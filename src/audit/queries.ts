// The events of the audit log that are in the database, and which days are in storage.
import type { AuditEvent } from "./rules/event.ts";
import { getFirstIdAt } from "./rules/retention.ts";

/**
 * Part of a workspace's log: the events before an id, of a range of time in milliseconds since the
 * epoch. `until` is excluded.
 */
export interface AuditRange {
  workspaceId: string;
  since: number;
  until: number;
  before: string;
}

export interface AuditDay {
  workspaceId: string;
  day: string;
}

interface AuditRow {
  workspaceId: string;
  id: string;
  at: number;
  event: string;
}

const columns = "workspace_id AS workspaceId, id, at, event";

/** What identifies a repeat stays in the database. */
function toEvent({ event, ...row }: AuditRow): AuditEvent {
  const { repeat: _, ...details } = JSON.parse(event);
  return { ...row, ...details };
}

/** Lists events of a range, newest first. */
export async function listAuditEvents(
  database: D1Database,
  { workspaceId, since, until, before }: AuditRange,
  limit: number,
): Promise<AuditEvent[]> {
  const { results } = await database
    .prepare(
      `SELECT ${columns} FROM audit_events WHERE workspace_id = ?1 AND id < ?2 AND at >= ?3 AND at < ?4
       ORDER BY id DESC LIMIT ?5`,
    )
    .bind(workspaceId, before, since, until, limit)
    .all<AuditRow>();
  return results.map(toEvent);
}

/** Lists the stored days of a workspace from `last` back to `first`, newest first. */
export async function listAuditDays(
  database: D1Database,
  { workspaceId, first, last }: { workspaceId: string; first: string; last: string },
  limit: number,
): Promise<string[]> {
  const { results } = await database
    .prepare(
      "SELECT day FROM audit_days WHERE workspace_id = ?1 AND day >= ?2 AND day <= ?3 ORDER BY day DESC LIMIT ?4",
    )
    .bind(workspaceId, first, last, limit)
    .all<{ day: string }>();
  return results.map(({ day }) => day);
}

/** Finds the oldest event before a time, whose day is the next to move to storage. */
export async function findOldestAuditEvent(
  database: D1Database,
  before: number,
  exceptWorkspaces: readonly string[],
): Promise<{ workspaceId: string; id: string; at: number } | null> {
  return await database
    .prepare(
      `SELECT workspace_id AS workspaceId, id, at FROM audit_events
       WHERE at < ?1 AND workspace_id NOT IN (SELECT value FROM json_each(?2)) ORDER BY at, id LIMIT 1`,
    )
    .bind(before, JSON.stringify(exceptWorkspaces))
    .first();
}

/** An event, and its row's text, which shows whether the row has changed. */
export interface EventToArchive {
  event: AuditEvent;
  stored: string;
}

/** Lists events of a workspace from one on, oldest first. `until` is excluded. */
export async function listEventsToArchive(
  database: D1Database,
  { workspaceId, firstId, until }: { workspaceId: string; firstId: string; until: number },
  limit: number,
): Promise<EventToArchive[]> {
  const { results } = await database
    .prepare(
      `SELECT ${columns} FROM audit_events WHERE workspace_id = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4`,
    )
    .bind(workspaceId, firstId, getFirstIdAt(until), limit)
    .all<AuditRow>();
  return results.map((row) => ({ event: toEvent(row), stored: row.event }));
}

/**
 * Records that a day is in storage, and deletes its events that are there from the database. If one
 * of them has changed since it was read, all stay, and it returns false: what is in the database is
 * newer than what is in storage.
 */
export async function recordAuditPart(
  database: D1Database,
  { workspaceId, day }: AuditDay,
  rows: readonly EventToArchive[],
): Promise<boolean> {
  const [, deleted] = await database.batch([
    database
      .prepare("INSERT INTO audit_days (workspace_id, day) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      .bind(workspaceId, day),
    database
      .prepare(
        `DELETE FROM audit_events WHERE workspace_id = ?1 AND id IN (SELECT value ->> 0 FROM json_each(?2))
           AND json_array_length(?2) = (SELECT count(*) FROM json_each(?2) r JOIN audit_events e
             ON e.workspace_id = ?1 AND e.id = r.value ->> 0 AND e.event = r.value ->> 1)`,
      )
      .bind(workspaceId, JSON.stringify(rows.map(({ event, stored }) => [event.id, stored]))),
  ]);
  return (deleted?.meta.changes ?? 0) > 0;
}

/** Lists stored days before a day, oldest first. */
export async function listExpiredAuditDays(database: D1Database, before: string, limit: number): Promise<AuditDay[]> {
  const { results } = await database
    .prepare("SELECT workspace_id AS workspaceId, day FROM audit_days WHERE day < ?1 ORDER BY day LIMIT ?2")
    .bind(before, limit)
    .all<AuditDay>();
  return results;
}

/** Forgets a day that is deleted from storage. */
export function deleteAuditDayStatement(database: D1Database, { workspaceId, day }: AuditDay): D1PreparedStatement {
  return database.prepare("DELETE FROM audit_days WHERE workspace_id = ?1 AND day = ?2").bind(workspaceId, day);
}
