// The keys of all kinds of callers. Only a key's hash is stored, and its last four characters for
// display.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { callerKinds } from "../access/rules/permission-table.ts";
import type { Scope } from "../access/rules/scope.ts";
import type { RunBounds } from "../cron/rules/last-writer.ts";
import { deviceOutcomes } from "./rules/device-sign-in.ts";

/** The client that holds the tokens of a connected agent. */
export interface KeyClient {
  /** SHA-256 of its id, in base64url. */
  clientHash: string;
  /** Where the person's browser was sent back. */
  redirectHost: string;
  /** SHA-256 of the current refresh token, in base64url. */
  refreshHash: string;
  /** When the refresh token expires. */
  endsAt: number;
  /** Set by a call beyond the scopes: until when a refresh leads to the page of the consent. */
  widensUntil?: number;
  /** True once a refresh was refused for it. */
  hasRefused?: true;
}

export const keys = sqliteTable(
  "keys",
  {
    /** SHA-256 of the whole credential, in base64url. */
    hash: text().primaryKey(),
    id: text().notNull(),
    kind: text({ enum: callerKinds }).notNull(),
    userId: text(),
    /** Set for kinds that are bound to one workspace. */
    workspaceId: text(),
    /** Set for agent tokens: the session and the turn in which the agent works. */
    sessionId: text(),
    turnId: text(),
    /** Set for the keys of cron runs: the cron, and the project that the run reads. */
    cronId: text(),
    projectId: text(),
    /** The limits of a cron run's rights; null for other keys. */
    bounds: text({ mode: "json" }).$type<RunBounds>(),
    /** Set for connected agents: what they may do. */
    scopes: text({ mode: "json" }).$type<Scope[]>(),
    /** Set for connected agents: the client that holds their tokens. */
    client: text({ mode: "json" }).$type<KeyClient>(),
    /** Set for connected agents: SHA-256 of the first half of their refresh tokens. */
    refreshFamily: text(),
    name: text().notNull(),
    lastFour: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    /** Recorded for API keys and connected agents only, accurate to a few minutes. */
    lastUsedAt: integer(),
  },
  (key) => [
    index("keys_by_user").on(key.userId),
    index("keys_by_turn").on(key.turnId),
    index("keys_by_session").on(key.sessionId),
    index("keys_by_workspace").on(key.workspaceId, key.kind),
    uniqueIndex("keys_by_refresh").on(key.refreshFamily).where(sql`refresh_family IS NOT NULL`),
  ],
);

/** Sign-ins from a terminal. The key is made when it is fetched, so none is stored here. */
export const deviceSignIns = sqliteTable(
  "device_sign_ins",
  {
    /** SHA-256 of the login token, in base64url. */
    tokenHash: text().primaryKey(),
    /** What the person types on the page. */
    userCode: text().notNull(),
    /** The program, as it calls itself. */
    client: text().notNull(),
    /** The name of the key. */
    name: text().notNull(),
    /** The address of the terminal; null if it is unknown. */
    address: text(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** Null while nobody has decided. */
    outcome: text({ enum: deviceOutcomes }),
    /** The person who decided. */
    userId: text(),
    /** How long the key is valid, from when it is fetched; null for a key that does not expire. */
    keyLifetimeMs: integer(),
  },
  (signIn) => [
    uniqueIndex("device_sign_ins_by_code").on(signIn.userCode),
    index("device_sign_ins_by_user").on(signIn.userId),
    index("device_sign_ins_by_end").on(signIn.expiresAt),
  ],
);
