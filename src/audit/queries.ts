// The events of the audit log that are in the database, and which days are in storage.
import type { AuditEvent } from "./rules/event.ts";

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

/** Lists events of a range, newest first by default. */
export async function listAuditEvents(
  database: D1Database,
  { workspaceId, since, until, before }: AuditRange,
  limit: number,
  order: "newest" | "oldest" = "newest",
): Promise<AuditEvent[]> {
  const { results } = await database
    .prepare(
      `SELECT ${columns} FROM audit_events WHERE workspace_id = ?1 AND id < ?2 AND at >= ?3 AND at < ?4
       ORDER BY id ${order === "newest" ? "DESC" : "ASC"} LIMIT ?5`,
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
): Promise<{ workspaceId: string; at: number } | null> {
  return await database
    .prepare("SELECT workspace_id AS workspaceId, at FROM audit_events WHERE at < ?1 ORDER BY at LIMIT 1")
    .bind(before)
    .first();
}

/** Records that a day is in storage, and deletes its events up to an id from the database. */
export async function recordAuditDay(
  database: D1Database,
  { workspaceId, day }: AuditDay,
  ids: readonly string[],
): Promise<void> {
  await database.batch([
    database
      .prepare("INSERT INTO audit_days (workspace_id, day) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      .bind(workspaceId, day),
    database
      .prepare("DELETE FROM audit_events WHERE workspace_id = ?1 AND id IN (SELECT value FROM json_each(?2))")
      .bind(workspaceId, JSON.stringify(ids)),
  ]);
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
