// The sealed logins of workspaces and members at the model providers.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { providerIds } from "../model/rules/provider.ts";
import { loginOwnerTypes } from "./rules/login.ts";
import { attemptOutcomes } from "./rules/sign-in.ts";

export const providerLogins = sqliteTable(
  "provider_logins",
  {
    /** Also the name of the login's object. */
    id: text().primaryKey(),
    ownerType: text({ enum: loginOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /**
     * Calls use an owner's logins in the order of their places; there may be gaps. A workspace has
     * one login of a provider, at place 0.
     */
    place: integer().notNull(),
    /** A pasted API key, or the login of an OAuth sign-in. */
    kind: text({ enum: ["key", "login"] }).notNull(),
    /** The API key, or the tokens of a login as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    /**
     * A hash of the key, or of the account that signed in; null for a login that was stored without
     * one.
     */
    fingerprint: text(),
    /**
     * Distinguishes logins for people: the account's email address, or the key's last four
     * characters.
     */
    label: text().notNull(),
    /** The start and the end of a pasted key; null for a login. */
    maskedKey: text(),
    accountEmail: text(),
    /** When a login's access token expires; null if the provider did not report it. */
    expiresAt: integer(),
    /** The provider refuses the key or the refresh token, so it must be connected again. */
    needsReauth: integer({ mode: "boolean" }).notNull().default(false),
    /** When its limit at the provider resets; null if it was never at its limit. */
    exhaustedUntil: integer(),
    authenticatedAt: integer().notNull(),
  },
  (login) => [
    uniqueIndex("provider_logins_by_place").on(login.ownerType, login.ownerId, login.provider, login.place),
    uniqueIndex("provider_logins_by_fingerprint").on(login.ownerType, login.ownerId, login.provider, login.fingerprint),
  ],
);

/**
 * Sign-ins at the model providers that were started, and tokens of ended ones that wait for
 * revocation.
 */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    /** The hash of the login token, with which the caller finishes it. */
    tokenHash: text().primaryKey(),
    /** The user who started it, or the key if it belongs to nobody. */
    callerId: text().notNull(),
    ownerType: text({ enum: loginOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /**
     * The login that it creates, unless the owner already has its account. Also names the object
     * that finishes it.
     */
    loginId: text().notNull(),
    /** What its next step needs, as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    expiresAt: integer().notNull(),
    /**
     * The interval that the provider requires between two polls; null for a sign-in in the browser.
     */
    intervalSeconds: integer(),
    /** When the provider may be polled again. */
    nextPollAt: integer().notNull().default(0),
    /** How it ended; null while it is open. */
    outcome: text({ enum: attemptOutcomes }),
  },
  (attempt) => [index("sign_in_attempts_by_expiry").on(attempt.expiresAt)],
);

export const tokenRevocations = sqliteTable(
  "token_revocations",
  {
    id: text().primaryKey(),
    ownerType: text({ enum: loginOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    loginId: text().notNull(),
    /** The tokens in the format of the login; see `sealing.ts`. */
    sealed: text().notNull(),
    tries: integer().notNull().default(0),
    dueAt: integer().notNull(),
  },
  (revocation) => [index("token_revocations_due").on(revocation.dueAt)],
);
