// Workspaces that are deleted and whose belongings are not all gone yet. The row itself makes none of it unreachable: that is done with it.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { removedTypes } from "../../rules/removal.ts";

export const removals = sqliteTable(
  "removals",
  {
    type: text({ enum: removedTypes }).notNull(),
    id: text().notNull(),
    createdAt: integer().notNull(),
  },
  (removal) => [primaryKey({ columns: [removal.type, removal.id] })],
);
