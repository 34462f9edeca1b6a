// The devices of one person, as they list and remove them, and the browsers among them.
import { webDevicesMax } from "../rules/limits.ts";
import { isWebDeviceLive } from "./queries.ts";
import type { PushPlatform } from "./rules/device.ts";
import type { PushSubscriptionKeys } from "./rules/web-device.ts";

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
