// Deletions: deleted workspaces and projects whose contents are still being deleted.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type DeletedProject, removedTypes } from "./rules/deletion.ts";

export const deletions = sqliteTable(
  "removals",
  {
    type: text({ enum: removedTypes }).notNull(),
    id: text().notNull(),
    projects: text({ mode: "json" }).$type<DeletedProject[]>().notNull().default([]),
    createdAt: integer().notNull(),
  },
  (deletion) => [primaryKey({ columns: [deletion.type, deletion.id] })],
);
