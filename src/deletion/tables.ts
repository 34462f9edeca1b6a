// Deletions: deleted workspaces and projects whose contents are still being deleted, and deleted
// people who are still named somewhere.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type DeletedProject, removedTypes } from "./rules/deletion.ts";
import type { DeletedPerson } from "./rules/person.ts";

export const deletions = sqliteTable(
  "removals",
  {
    type: text({ enum: removedTypes }).notNull(),
    id: text().notNull(),
    projects: text({ mode: "json" }).$type<DeletedProject[]>().notNull().default([]),
    /** What names the deleted person elsewhere; null for the other types. */
    person: text({ mode: "json" }).$type<DeletedPerson>(),
    createdAt: integer().notNull(),
  },
  (deletion) => [primaryKey({ columns: [deletion.type, deletion.id] })],
);
