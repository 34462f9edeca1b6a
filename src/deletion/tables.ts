// Deletions: deleted workspaces and projects whose contents are still being deleted.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type RemovedProject, removedTypes } from "./rules/deletion.ts";

export const deletions = sqliteTable(
  "removals",
  {
    type: text({ enum: removedTypes }).notNull(),
    id: text().notNull(),
    projects: text({ mode: "json" }).$type<RemovedProject[]>().notNull().default([]),
    createdAt: integer().notNull(),
  },
  (removal) => [primaryKey({ columns: [removal.type, removal.id] })],
);
