// The model providers' credentials that a workspace holds, sealed.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { providerIds } from "../../rules/model/provider.ts";

export const workspaceCredentials = sqliteTable(
  "workspace_credentials",
  {
    workspaceId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /** A pasted key, or a login that came of signing in at the provider. */
    kind: text({ enum: ["key", "login"] })
      .notNull()
      .default("key"),
    /** The API key, or the tokens of a login as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    lastFour: text().notNull(),
    /** When a login's access token expires, as far as the provider told. */
    expiresAt: integer(),
    /** The provider takes the login no more: somebody has to connect it again. */
    needsReauth: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.workspaceId, credential.provider] })],
);
