// The model providers' credentials that a workspace holds, sealed.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { providerIds } from "../../rules/provider.ts";

export const workspaceCredentials = sqliteTable(
  "workspace_credentials",
  {
    workspaceId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /** The API key; see `sealing.ts`. */
    sealed: text().notNull(),
    lastFour: text().notNull(),
    createdAt: integer().notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.workspaceId, credential.provider] })],
);
