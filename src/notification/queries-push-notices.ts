// The notices that are on their way to devices.

import { type DeviceToTell, devicesOfMembers } from "./queries.ts";
import type { Notice } from "./rules/notification.ts";

/** Keeps a notice until it is forgotten. False if nobody who is to be told has a device: then it is not kept. */
export async function keepNotice(database: D1Database, notice: Notice, now: number): Promise<boolean> {
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

/** Notes when a notice is tried next, and answers the devices that are to get it now. */
export async function beginTry(database: D1Database, notice: Notice, nextAt: number): Promise<DeviceToTell[]> {
  const [, found] = await database.batch<DeviceToTell>([
    database.prepare("UPDATE push_notices SET due_at = ?2 WHERE id = ?1").bind(notice.id, nextAt),
    devicesOfMembers(database, notice),
  ]);
  return found?.results ?? [];
}

/** Forgets a notice that every device has, or that was given up. */
export async function forgetNotice(database: D1Database, id: string): Promise<void> {
  await database.prepare("DELETE FROM push_notices WHERE id = ?1").bind(id).run();
}

/** The notices that should have been tried before a time, in the order of their ids, after one. */
export async function overdueNotices(
  database: D1Database,
  { before, after, atMost }: { before: number; after: string; atMost: number },
): Promise<Notice[]> {
  const { results } = await database
    .prepare("SELECT notice FROM push_notices WHERE due_at <= ?1 AND +id > ?2 ORDER BY +id LIMIT ?3")
    .bind(before, after, atMost)
    .all<{ notice: string }>();
  return results.map(({ notice }) => JSON.parse(notice) as Notice);
}
