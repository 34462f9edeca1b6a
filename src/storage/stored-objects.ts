// What a workspace stores in R2, as counted for its quota. Each object has a row with its size,
// written before the object and deleted after it, so a Worker that dies in between leaves too much
// counted, never too little. Only saved work is counted after it is stored, because it is never
// refused, and only to a megabyte while its sandbox runs. Triggers add up the rows, so that an
// upload reads no other row.
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Refusal } from "../rules/refusal.ts";
import { byPlan } from "../sandbox/queries/limits.ts";
import { type PlanName, refuseStorage } from "../workspace/rules/billing-plan.ts";

/** What an object is stored for. Its workspace is charged. */
export type StorageOwner = Pick<TurnOwner, "type" | "id"> | { type: "workspace"; id: string };

export interface ObjectSize {
  key: string;
  bytes: number;
}

/** The id of the workspace of each kind of owner, in SQL. */
const workspaceIds: Record<StorageOwner["type"], string> = {
  workspace: "?1",
  session: "(SELECT o.workspace_id FROM sessions o WHERE o.id = ?1)",
  project: "(SELECT o.workspace_id FROM projects o WHERE o.id = ?1)",
  "cron-run": "(SELECT o.workspace_id FROM cron_runs o WHERE o.id = ?1)",
};

const maxBytes = byPlan((plan) => plan.maxStorageBytes);

const storedObjectsSql = "SELECT value ->> 'key', w.id, value ->> 'bytes' FROM json_each(?2), workspaces w";

/**
 * Counts objects that are about to be stored. Refuses them if they do not fit into the quota; then
 * none is counted. `beside` runs in the same round trip, even if they are refused.
 */
export async function countStored(
  database: D1Database,
  owner: StorageOwner,
  objects: readonly ObjectSize[],
  beside: readonly D1PreparedStatement[] = [],
): Promise<Refusal | null> {
  const neededBytes = objects.reduce((sum, { bytes }) => sum + bytes, 0);
  const ofOwner = `w.id = ${workspaceIds[owner.type]}`;
  const [counted, found] = await database.batch<Record<string, unknown>>([
    database
      .prepare(
        // A repeated upload may break off, which leaves the object of the first.
        `INSERT INTO stored_objects (key, workspace_id, bytes) ${storedObjectsSql}
         WHERE ${ofOwner} AND w.stored_bytes + ?3 <= ${maxBytes}
         ON CONFLICT (key) DO UPDATE SET bytes = max(bytes, excluded.bytes) RETURNING key`,
      )
      .bind(owner.id, JSON.stringify(objects), neededBytes),
    database.prepare(`SELECT w.plan, w.stored_bytes AS usedBytes FROM workspaces w WHERE ${ofOwner}`).bind(owner.id),
    ...beside,
  ]);
  const workspace = found?.results[0] as { plan: PlanName; usedBytes: number } | undefined;
  // An object that is stored for a deleted owner is deleted with the owner.
  if (!workspace || (counted && counted.results.length > 0)) return null;
  return refuseStorage(workspace.plan, workspace.usedBytes, neededBytes);
}

/** Records the sizes of stored objects, regardless of the quota. */
export async function recordStoredSizes(
  database: D1Database,
  owner: StorageOwner,
  objects: readonly ObjectSize[],
): Promise<void> {
  await database
    .prepare(
      `INSERT INTO stored_objects (key, workspace_id, bytes) ${storedObjectsSql} WHERE w.id = ${workspaceIds[owner.type]}
       ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes`,
    )
    .bind(owner.id, JSON.stringify(objects))
    .run();
}

/** The statement that records the size of an object that is already counted. */
export function recordSizeStatement(database: D1Database, { key, bytes }: ObjectSize): D1PreparedStatement {
  return database.prepare("UPDATE stored_objects SET bytes = ?2 WHERE key = ?1 AND bytes <> ?2").bind(key, bytes);
}

/** The statement that stops counting deleted objects. */
export function deleteSizesStatement(database: D1Database, keys: readonly string[]): D1PreparedStatement {
  return database
    .prepare("DELETE FROM stored_objects WHERE key IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(keys));
}

/**
 * Stops counting all objects of a deleted folder. Its name ends with a slash, after which `0` is
 * the next character.
 */
export async function deleteFolderSizes(database: D1Database, folder: string): Promise<void> {
  await database
    .prepare("DELETE FROM stored_objects WHERE key >= ?1 AND key < ?2")
    .bind(folder, `${folder.slice(0, -1)}0`)
    .run();
}
