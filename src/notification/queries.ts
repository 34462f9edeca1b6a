// The devices on which people get push notifications. One statement decides each registration, so
// that even under concurrent requests a token, or a watch, belongs to one user.
import { type DeviceToRegister, type PushEnvironment, pushDevicesMax } from "./rules/device.ts";
import type { Notification } from "./rules/notification.ts";

/**
 * Registers a device for a user. It takes the token from its previous user, and replaces the
 * watch's earlier registration. False if this user has a newer generation of the watch.
 */
export async function saveDevice(
  database: D1Database,
  userId: string,
  { token, bundleId, environment, platform, installation }: DeviceToRegister,
  now: number,
): Promise<boolean> {
  const watch = [installation?.id ?? null, installation?.generation ?? null];
  const [registered] = await database.batch([
    database
      .prepare(
        `INSERT OR REPLACE INTO push_devices
           (token, user_id, bundle_id, environment, platform, installation_id, generation, registration_id, registered_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
         WHERE NOT EXISTS (SELECT 1 FROM push_devices WHERE user_id = ?2 AND installation_id = ?6 AND generation > ?7)`,
      )
      .bind(token, userId, bundleId, environment, platform, ...watch, crypto.randomUUID(), now),
    database
      .prepare(
        `DELETE FROM push_devices WHERE token IN
           (SELECT token FROM push_devices WHERE user_id = ?1 ORDER BY registered_at DESC, rowid DESC LIMIT -1 OFFSET ?2)`,
      )
      .bind(userId, pushDevicesMax),
  ]);
  return (registered?.meta.changes ?? 0) > 0;
}

/** Deletes a device of a user. A device of another user stays. */
export async function deleteDevice(database: D1Database, userId: string, token: string): Promise<void> {
  await database.prepare("DELETE FROM push_devices WHERE token = ?1 AND user_id = ?2").bind(token, userId).run();
}

/** A device to be notified. */
export interface DeviceToNotify {
  token: string;
  userId: string;
  bundleId: string;
  environment: PushEnvironment;
  registrationId: string;
}

/**
 * The devices of a workspace's current members, or of one of them. None of a suspended person or
 * workspace.
 */
function devicesOfMembers(
  database: D1Database,
  { workspaceId, userId }: { workspaceId: string; userId: string | null },
): D1PreparedStatement {
  return database
    .prepare(
      `SELECT d.token, d.user_id AS userId, d.bundle_id AS bundleId, d.environment, d.registration_id AS registrationId
       FROM members m JOIN push_devices d ON d.user_id = m.user_id
       WHERE m.workspace_id = ?1 AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = m.user_id AND u.suspended_at IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?1 AND w.suspended_at IS NOT NULL) AND (?2 IS NULL OR m.user_id = ?2)`,
    )
    .bind(workspaceId, userId);
}

/**
 * Deletes devices that notifications no longer reach. A device that was registered again since
 * stays.
 */
export async function deleteDevices(database: D1Database, gone: readonly DeviceToNotify[]): Promise<void> {
  if (gone.length === 0) return;
  const registrations = gone.map(({ registrationId }) => registrationId);
  await database
    .prepare(
      `DELETE FROM push_devices WHERE token IN (SELECT value FROM json_each(?1))
         AND registration_id IN (SELECT value FROM json_each(?2))`,
    )
    .bind(JSON.stringify(gone.map(({ token }) => token)), JSON.stringify(registrations))
    .run();
}

/**
 * Saves a notification until it is delivered to its devices. False, without saving it, if no
 * recipient has a device.
 */
export async function saveNotification(database: D1Database, notice: Notification, now: number): Promise<boolean> {
  const { meta } = await database
    .prepare(
      `INSERT INTO push_notices (id, notice, due_at) SELECT ?1, ?2, ?3
       WHERE EXISTS (SELECT 1 FROM members m JOIN push_devices d ON d.user_id = m.user_id
         WHERE m.workspace_id = ?4 AND (?5 IS NULL OR m.user_id = ?5))
       ON CONFLICT (id) DO UPDATE SET id = excluded.id`,
    )
    .bind(notice.id, JSON.stringify(notice), now, notice.workspaceId, notice.userId)
    .run();
  return meta.changes > 0;
}

/** Records when a notification is tried next, and returns the devices that are to get it now. */
export async function startTry(database: D1Database, notice: Notification, nextAt: number): Promise<DeviceToNotify[]> {
  const [, found] = await database.batch<DeviceToNotify>([
    database.prepare("UPDATE push_notices SET due_at = ?2 WHERE id = ?1").bind(notice.id, nextAt),
    devicesOfMembers(database, notice),
  ]);
  return found?.results ?? [];
}

/** Deletes a notification that every device has received, or that was dropped. */
export async function deleteNotification(database: D1Database, id: string): Promise<void> {
  await database.prepare("DELETE FROM push_notices WHERE id = ?1").bind(id).run();
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
