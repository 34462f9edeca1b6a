// The devices on which people get push notifications: phones, watches and browsers. One statement
// decides each registration, so that even under concurrent requests a token, or a watch, belongs to
// one user.
import { webDevicesMax } from "../../rules/limits.ts";
import { type DeviceToRegister, type PushPlatform, pushDevicesMax } from "../rules/device.ts";
import type { PushSubscriptionKeys } from "../rules/web-device.ts";

/**
 * Registers a device for a user. It takes the token from its previous user, and replaces the
 * watch's earlier registration. False if this user, or this token, has a newer generation of the
 * watch. Another token proves nothing: anybody can send the id of somebody's watch.
 */
export async function saveDevice(
  database: D1Database,
  userId: string,
  { token, bundleId, environment, platform, installation, label = null }: DeviceToRegister,
  now: number,
): Promise<boolean> {
  const watch = [installation?.id ?? null, installation?.generation ?? null];
  const [registered] = await database.batch([
    database
      .prepare(
        `INSERT OR REPLACE INTO push_devices
           (token, user_id, bundle_id, environment, platform, installation_id, generation, registration_id, registered_at, label)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
         WHERE NOT EXISTS (SELECT 1 FROM push_devices
           WHERE (user_id = ?2 OR token = ?1) AND installation_id = ?6 AND generation > ?7)`,
      )
      .bind(token, userId, bundleId, environment, platform, ...watch, crypto.randomUUID(), now, label),
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

/**
 * A browser ends with the session that registered it: someone else may sign in there. `w` is the
 * browser, and `?1` the present time.
 */
export const isWebDeviceLive =
  "EXISTS (SELECT 1 FROM keys k WHERE k.user_id = w.user_id AND k.id = w.key_id AND (k.expires_at IS NULL OR k.expires_at > ?1))";

export interface ListedDevice {
  id: string;
  platform: PushPlatform | "web";
  label: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  /** The key that registered a browser; null for any other device. */
  keyId: string | null;
}

/** The devices of a person, the newest first. */
export async function listDevices(database: D1Database, userId: string, now: number): Promise<ListedDevice[]> {
  const { results } = await database
    .prepare(
      `SELECT d.registration_id AS id, d.platform, d.label, d.registered_at AS createdAt, d.last_used_at AS lastUsedAt, NULL AS keyId
       FROM push_devices d WHERE d.user_id = ?2
       UNION ALL
       SELECT w.id, 'web', w.label, w.registered_at, w.last_used_at, w.key_id
       FROM web_push_devices w WHERE w.user_id = ?2 AND ${isWebDeviceLive}
       ORDER BY createdAt DESC, id`,
    )
    .bind(now, userId)
    .all<ListedDevice>();
  return results;
}

/** Removes a device by its id. A device of another user stays. */
export async function deleteDeviceById(database: D1Database, userId: string, id: string): Promise<void> {
  const remove = (table: string, column: string) =>
    database.prepare(`DELETE FROM ${table} WHERE user_id = ?1 AND ${column} = ?2`).bind(userId, id);
  await database.batch([remove("push_devices", "registration_id"), remove("web_push_devices", "id")]);
}

/**
 * Registers a browser for a user. It takes the browser from its previous user. Browsers whose
 * session has ended, and the oldest ones above the maximum, are deleted.
 */
export async function saveWebDevice(
  database: D1Database,
  {
    endpoint,
    p256dh,
    auth,
    label,
    userId,
    keyId,
  }: PushSubscriptionKeys & { label: string; userId: string; keyId: string },
  now: number,
): Promise<void> {
  await database.batch([
    database.prepare("DELETE FROM web_push_devices WHERE endpoint = ?1 AND user_id <> ?2").bind(endpoint, userId),
    database
      .prepare(
        `INSERT INTO web_push_devices (id, endpoint, user_id, p256dh, auth, label, key_id, registered_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth, label = excluded.label,
           key_id = excluded.key_id`,
      )
      .bind(crypto.randomUUID(), endpoint, userId, p256dh, auth, label, keyId, now),
    database
      .prepare(`DELETE FROM web_push_devices AS w WHERE w.user_id = ?2 AND NOT ${isWebDeviceLive}`)
      .bind(now, userId),
    database
      .prepare(
        `DELETE FROM web_push_devices WHERE id IN
           (SELECT id FROM web_push_devices WHERE user_id = ?1 ORDER BY registered_at DESC, rowid DESC LIMIT -1 OFFSET ?2)`,
      )
      .bind(userId, webDevicesMax),
  ]);
}

/** The kinds of notifications that a person has switched off. */
export async function readKindsOff(database: D1Database, userId: string): Promise<string[]> {
  const off = await database
    .prepare("SELECT notifications_off FROM users WHERE id = ?1")
    .bind(userId)
    .first<string>("notifications_off");
  return off === null ? [] : JSON.parse(off);
}

/** Saves the kinds of notifications that a person has switched off. */
export async function saveKindsOff(database: D1Database, userId: string, off: readonly string[]): Promise<void> {
  await database
    .prepare("UPDATE users SET notifications_off = ?2 WHERE id = ?1")
    .bind(userId, JSON.stringify(off))
    .run();
}
