// The secrets of projects that no sandbox contains.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { secretPlaces } from "./rules/network-secret.ts";

export const networkSecrets = sqliteTable(
  "network_secrets",
  {
    projectId: text().notNull(),
    /** The name of the variable. */
    name: text().notNull(),
    /** The sealed value. */
    sealed: text().notNull(),
    /** Hosts in their compared form, sorted. */
    onlyTo: text({ mode: "json" }).$type<string[]>().notNull(),
    as: text({ enum: secretPlaces }).notNull(),
    /** It stays when the value is replaced, because files in sandboxes may contain it. */
    placeholder: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (secret) => [primaryKey({ columns: [secret.projectId, secret.name] })],
);
