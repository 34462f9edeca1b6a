// Pictures in R2: logos of workspaces and pictures of users. Each upload gets a new URL that cannot
// be guessed.
import type { PictureType } from "../account/rules/picture.ts";
import { createSecret } from "../lib/ids.ts";
import { unconfirmedObjectMs } from "../rules/limits.ts";
import { recordUnconfirmed } from "./bodies.ts";

/** The prefix of the paths of pictures, and of their keys in R2. */
const folder = "pictures/";

/** Stores the picture of an owner, replaces an earlier one, and returns its URL. */
export async function savePicture(
  { DB, STORE, PUBLIC_URL }: { DB: D1Database; STORE: R2Bucket; PUBLIC_URL: string },
  owner: PictureOwner,
  { bytes, mediaType }: { bytes: Uint8Array; mediaType: PictureType },
  now: number,
): Promise<string> {
  const key = folder + createSecret();
  const picture: StoredPicture = { key, url: `${PUBLIC_URL}/${key}` };
  await recordUnconfirmed(DB, [key], now + unconfirmedObjectMs);
  await STORE.put(key, bytes, { httpMetadata: { contentType: mediaType } });
  await namePicture(DB, owner, { picture, addressOfFolder: `${PUBLIC_URL}/${folder}`, now });
  return picture.url;
}

/** Deletes the picture of an owner. Idempotent. */
export async function deletePicture(
  { DB, PUBLIC_URL }: { DB: D1Database; PUBLIC_URL: string },
  owner: PictureOwner,
  now: number,
): Promise<void> {
  await namePicture(DB, owner, { picture: null, addressOfFolder: `${PUBLIC_URL}/${folder}`, now });
}

/** Reads a picture by the last part of its URL; null if there is none. */
export async function findPicture(store: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return await store.get(folder + id);
}

/** The row that has the picture. */
export interface PictureOwner {
  type: "workspace" | "user";
  id: string;
}

/** A picture that was stored. */
export interface StoredPicture {
  /** The R2 key. */
  key: string;
  url: string;
}

/** The columns with pictures: one for each workspace and user. */
const columns: Record<PictureOwner["type"], { table: string; column: string }> = {
  workspace: { table: "workspaces", column: "logo" },
  user: { table: "users", column: "image_url" },
};

/**
 * Sets or clears the picture of a row. The same transaction adds the replaced picture to the
 * unconfirmed objects, if the service stores it, and takes the new one out of them.
 */
async function namePicture(
  database: D1Database,
  { type, id }: PictureOwner,
  { picture, addressOfFolder, now }: { picture: StoredPicture | null; addressOfFolder: string; now: number },
): Promise<void> {
  const { table, column } = columns[type];
  const folder = new URL(addressOfFolder).pathname.slice(1);
  await database.batch([
    database
      .prepare(
        `INSERT INTO objects_in_doubt (key, due_at) SELECT ?3 || substr(${column}, length(?2) + 1), ?4 FROM ${table}
         WHERE id = ?1 AND substr(${column}, 1, length(?2)) = ?2 ON CONFLICT DO NOTHING`,
      )
      .bind(id, addressOfFolder, folder, now),
    database.prepare(`UPDATE ${table} SET ${column} = ?2 WHERE id = ?1`).bind(id, picture?.url ?? null),
    database
      .prepare(
        `DELETE FROM objects_in_doubt WHERE key = ?2 AND EXISTS (SELECT 1 FROM ${table} WHERE id = ?1 AND ${column} = ?3)`,
      )
      .bind(id, picture?.key ?? "", picture?.url ?? ""),
  ]);
}
