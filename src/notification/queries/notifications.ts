// Notifications that wait to be delivered, and the devices that each of them is for.
import type { PushEnvironment } from "../rules/device.ts";
import type { Notification } from "../rules/notification.ts";
import { isWebDeviceLive } from "./devices.ts";

/** A device to be notified: a phone or a watch, or a browser. */
export interface DeviceToNotify {
  /** Of a browser: its address at the push service. */
  token: string;
  userId: string;
  bundleId: string;
  environment: PushEnvironment;
  registrationId: string;
  /** The keys of a browser; null for any other device. */
  p256dh: string | null;
  auth: string | null;
}

/** Which push services the service can send through. */
export interface Ways {
  apns: boolean;
  web: boolean;
}

/**
 * The devices of a workspace's current members, or of one of them. None of a suspended person or
 * workspace, of a person who switched this kind off, or who has seen what it is about.
 */
function devicesOfMembers(
  database: D1Database,
  { workspaceId, userId, kind, sessionId, at }: Notification,
  ways: Ways,
): D1PreparedStatement {
  return database
    .prepare(
      `WITH people AS (
         SELECT m.user_id FROM members m
         WHERE m.workspace_id = ?2 AND (?3 IS NULL OR m.user_id = ?3)
           AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = m.user_id AND (u.suspended_at IS NOT NULL
             OR EXISTS (SELECT 1 FROM json_each(u.notifications_off) WHERE value = ?4)))
           AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?2 AND w.suspended_at IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM session_seen s WHERE s.session_id = ?5 AND s.user_id = m.user_id AND s.since >= ?6))
       SELECT d.token, d.user_id AS userId, d.bundle_id AS bundleId, d.environment, d.registration_id AS registrationId,
         NULL AS p256dh, NULL AS auth
       FROM people p JOIN push_devices d ON d.user_id = p.user_id WHERE ?7
       UNION ALL
       SELECT w.endpoint, w.user_id, '', 'production', w.id, w.p256dh, w.auth
       FROM people p JOIN web_push_devices w ON w.user_id = p.user_id WHERE ?8 AND ${isWebDeviceLive}`,
    )
    .bind(Date.now(), workspaceId, userId, kind, sessionId, at, Number(ways.apns), Number(ways.web));
}

/**
 * Deletes devices that notifications no longer reach. A device that was registered again since
 * stays.
 */
export async function deleteDevices(database: D1Database, gone: readonly DeviceToNotify[]): Promise<void> {
  if (gone.length === 0) return;
  const [tokens, registrations] = [gone.map(({ token }) => token), gone.map(({ registrationId }) => registrationId)];
  const remove = (table: string, token: string, registration: string) =>
    database
      .prepare(
        `DELETE FROM ${table} WHERE ${token} IN (SELECT value FROM json_each(?1))
           AND ${registration} IN (SELECT value FROM json_each(?2))`,
      )
      .bind(JSON.stringify(tokens), JSON.stringify(registrations));
  await database.batch([
    remove("push_devices", "token", "registration_id"),
    remove("web_push_devices", "endpoint", "id"),
  ]);
}

/**
 * Saves a notification until it is delivered to its devices. False, without saving it, if no
 * recipient has a device.
 */
export async function saveNotification(
  database: D1Database,
  notice: Notification,
  ways: Ways,
  now: number,
): Promise<boolean> {
  const { meta } = await database
    .prepare(
      `INSERT INTO push_notices (id, notice, due_at) SELECT ?1, ?2, ?3
       WHERE EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = ?4 AND (?5 IS NULL OR m.user_id = ?5)
         AND ((?6 AND EXISTS (SELECT 1 FROM push_devices d WHERE d.user_id = m.user_id))
           OR (?7 AND EXISTS (SELECT 1 FROM web_push_devices w WHERE w.user_id = m.user_id))))
       ON CONFLICT (id) DO UPDATE SET id = excluded.id`,
    )
    .bind(notice.id, JSON.stringify(notice), now, notice.workspaceId, notice.userId, ...toFlags(ways))
    .run();
  return meta.changes > 0;
}

const toFlags = ({ apns, web }: Ways) => [Number(apns), Number(web)];

/** Records when a notification is tried next, and returns the devices that are to get it now. */
export async function startTry(
  database: D1Database,
  notice: Notification,
  { ways, nextAt }: { ways: Ways; nextAt: number },
): Promise<DeviceToNotify[]> {
  const [, found] = await database.batch<DeviceToNotify>([
    database.prepare("UPDATE push_notices SET due_at = ?2 WHERE id = ?1").bind(notice.id, nextAt),
    devicesOfMembers(database, notice, ways),
  ]);
  return found?.results ?? [];
}

/** Records what a notification has reached, and deletes the notification if `endedId` names it. */
export async function recordTry(
  database: D1Database,
  { reached, endedId }: { reached: readonly DeviceToNotify[]; endedId: string | null },
  now: number,
): Promise<void> {
  const tokens = JSON.stringify(reached.map(({ token }) => token));
  const mark = (table: string, token: string) =>
    database
      .prepare(`UPDATE ${table} SET last_used_at = ?1 WHERE ${token} IN (SELECT value FROM json_each(?2))`)
      .bind(now, tokens);
  const marks = reached.length === 0 ? [] : [mark("push_devices", "token"), mark("web_push_devices", "endpoint")];
  const ends = endedId === null ? [] : [endNotification(database, endedId)];
  const statements = [...marks, ...ends];
  if (statements.length > 0) await database.batch(statements);
}

const endNotification = (database: D1Database, id: string) =>
  database.prepare("DELETE FROM push_notices WHERE id = ?1").bind(id);

/** Deletes a notification that every device has received, or that was dropped. */
export async function deleteNotification(database: D1Database, id: string): Promise<void> {
  await endNotification(database, id).run();
}

/** The notifications that should have been tried before a time, in id order, after a given id. */
export async function listOverdueNotifications(
  database: D1Database,
  { before, after, atMost }: { before: number; after: string; atMost: number },
): Promise<Notification[]> {
  const { results } = await database
    .prepare("SELECT notice FROM push_notices WHERE due_at <= ?1 AND +id > ?2 ORDER BY +id LIMIT ?3")
    .bind(before, after, atMost)
    .all<{ notice: string }>();
  return results.map(({ notice }) => JSON.parse(notice) as Notification);
}
