// The sealed logins of workspaces and members at the model providers.
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { providerIds } from "../model/rules/provider.ts";
import { loginOwnerTypes } from "./rules/login.ts";

export const providerLogins = sqliteTable(
  "provider_logins",
  {
    /** Also the name of the login's object. */
    id: text().primaryKey(),
    ownerType: text({ enum: loginOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /** Calls take an owner's logins in the order of their places; there may be gaps. A workspace has one login of a provider, at place 0. */
    place: integer().notNull(),
    /** A pasted API key, or the login of an OAuth sign-in. */
    kind: text({ enum: ["key", "login"] }).notNull(),
    /** The API key, or the tokens of a login as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    /** A hash of the key, or of the account that signed in; null for what was kept without one. */
    fingerprint: text(),
    /** By which people tell logins apart: the account's address, or the key's last four characters. */
    label: text().notNull(),
    /** The start and the end of a pasted key; null for a login, and for a key that was kept without its start. */
    maskedKey: text(),
    accountEmail: text(),
    /** When a login's access token expires; null if the provider did not tell. */
    expiresAt: integer(),
    /** The provider refuses the key or the refresh token: it has to be connected again. */
    needsReauth: integer({ mode: "boolean" }).notNull().default(false),
    /** Until when the provider takes no call on it; null for one that was not at its limit. */
    exhaustedUntil: integer(),
    authenticatedAt: integer().notNull(),
  },
  (login) => [
    uniqueIndex("provider_logins_by_place").on(login.ownerType, login.ownerId, login.provider, login.place),
    uniqueIndex("provider_logins_by_fingerprint").on(login.ownerType, login.ownerId, login.provider, login.fingerprint),
  ],
);

/** Where the credentials of workspaces rested before `provider_logins`. Nothing writes there, and a sweep empties it. */
export const workspaceCredentials = sqliteTable(
  "workspace_credentials",
  {
    workspaceId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    kind: text({ enum: ["key", "login"] })
      .notNull()
      .default("key"),
    sealed: text().notNull(),
    lastFour: text().notNull(),
    maskedKey: text(),
    expiresAt: integer(),
    needsReauth: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.workspaceId, credential.provider] })],
);
