// The devices that people get push notices on. One statement decides each registration, so that a token, and a watch, has one holder whatever
// comes at once.
import { type DeviceToRegister, type PushEnvironment, pushDevicesMax } from "./rules/device.ts";

/**
 * Registers a device for a user: from the user who held the token, and in the place of the watch's earlier one. False if this user holds a
 * newer generation of the watch.
 */
export async function registerDevice(
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

/** Takes a device from a user. One that is not theirs is left alone. */
export async function removeDevice(database: D1Database, userId: string, token: string): Promise<void> {
  await database.prepare("DELETE FROM push_devices WHERE token = ?1 AND user_id = ?2").bind(token, userId).run();
}

/** A device of somebody who is to be told. */
export interface DeviceToTell {
  token: string;
  userId: string;
  bundleId: string;
  environment: PushEnvironment;
  registrationId: string;
}

/** The devices of a workspace's members, or of one of them: of whoever is a member at this moment. */
export function devicesOfMembers(
  database: D1Database,
  { workspaceId, userId }: { workspaceId: string; userId: string | null },
): D1PreparedStatement {
  return database
    .prepare(
      `SELECT d.token, d.user_id AS userId, d.bundle_id AS bundleId, d.environment, d.registration_id AS registrationId
       FROM members m JOIN push_devices d ON d.user_id = m.user_id
       WHERE m.workspace_id = ?1 AND (?2 IS NULL OR m.user_id = ?2)`,
    )
    .bind(workspaceId, userId);
}

/** Forgets devices that no notice reaches any more. One that was registered again since stays. */
export async function forgetDevices(database: D1Database, gone: readonly DeviceToTell[]): Promise<void> {
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
