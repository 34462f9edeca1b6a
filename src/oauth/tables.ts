// The codes of authorizations. What a code becomes is a row of `keys`.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Scope } from "../access/rules/scope.ts";

export const oauthCodes = sqliteTable(
  "oauth_codes",
  {
    /** SHA-256 of the code, in base64url. */
    hash: text().primaryKey(),
    /** The id of the key that the code becomes. */
    keyId: text().notNull(),
    userId: text().notNull(),
    /** The only workspace of that key; null for all of the user's. */
    workspaceId: text(),
    /** SHA-256 of the client's id, in base64url. */
    clientHash: text().notNull(),
    clientName: text().notNull(),
    redirectUri: text().notNull(),
    challenge: text().notNull(),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    expiresAt: integer().notNull(),
    /** When it was exchanged, or failed to be. A second use then revokes the key. */
    usedAt: integer(),
  },
  (code) => [index("oauth_codes_by_user").on(code.userId), index("oauth_codes_by_end").on(code.expiresAt)],
);
