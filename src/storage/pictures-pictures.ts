// The columns with pictures: one for each workspace and user.

/** The row that has the picture. */
export interface PictureOwner {
  type: "workspace" | "user";
  id: string;
}

export interface StoredPicture {
  /** The R2 key. */
  key: string;
  url: string;
}

const columns: Record<PictureOwner["type"], { table: string; column: string }> = {
  workspace: { table: "workspaces", column: "logo" },
  user: { table: "users", column: "image_url" },
};

/**
 * Sets or clears the picture of a row. The same transaction adds the replaced picture to the unconfirmed objects, if the service stores it, and
 * removes the new one from them.
 */
export async function namePicture(
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
