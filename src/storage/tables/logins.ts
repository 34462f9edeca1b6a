// A workspace's sealed credentials for model providers.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { providerIds } from "../../rules/model/provider.ts";

export const workspaceCredentials = sqliteTable(
  "workspace_credentials",
  {
    workspaceId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /** A pasted API key, or the login of an OAuth sign-in. */
    kind: text({ enum: ["key", "login"] })
      .notNull()
      .default("key"),
    /** The API key, or the tokens of a login as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    lastFour: text().notNull(),
    /** The start and the end of a pasted key; null for a login, and for a key that was kept without its start. */
    maskedKey: text(),
    /** When a login's access token expires; null if the provider did not tell. */
    expiresAt: integer(),
    /** The provider refused the refresh token: the login has to be connected again. */
    needsReauth: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.workspaceId, credential.provider] })],
);
