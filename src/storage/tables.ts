// The R2 objects of all nouns: those that count towards a quota, and those that may be orphans.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * R2 objects that count towards the quota of a workspace. A row is written before its object, and
 * deleted after it. Triggers sum the rows in `workspaces.stored_bytes`.
 */
export const storedObjects = sqliteTable("stored_objects", {
  /** The R2 key. The keys of one owner start with its folder. */
  key: text().primaryKey(),
  workspaceId: text().notNull(),
  /** The size, or the maximum size while the object is being uploaded. */
  bytes: integer().notNull(),
});

/**
 * R2 objects that may be orphans: those that are being stored, and those that were replaced. The
 * sweep deletes the ones that are due.
 */
export const unconfirmedObjects = sqliteTable(
  "objects_in_doubt",
  {
    key: text().primaryKey(),
    dueAt: integer().notNull(),
  },
  (object) => [index("objects_in_doubt_by_due").on(object.dueAt)],
);
