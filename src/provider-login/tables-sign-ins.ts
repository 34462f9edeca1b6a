// Sign-ins at the model providers that were begun, and tokens of ended ones that wait for their revocation.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { providerIds } from "../model/rules/provider.ts";
import { attemptOutcomes } from "./rules/connect.ts";
import { loginOwnerTypes } from "./rules/login.ts";

export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    /** The hash of the login token, by which the caller finishes it. */
    tokenHash: text().primaryKey(),
    /** The user who began it, or the key where that belongs to nobody. */
    callerId: text().notNull(),
    ownerType: text({ enum: loginOwnerTypes }).notNull(),
    ownerId: text().notNull(),
    provider: text({ enum: providerIds }).notNull(),
    /** The login that it makes, unless its account is held already. Also names the object that finishes it. */
    loginId: text().notNull(),
    /** What its next step needs, as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    expiresAt: integer().notNull(),
    /** How long the provider wants callers to wait between two questions; null for a sign-in in the browser. */
    intervalSeconds: integer(),
    /** When the provider may be asked again. */
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
    /** The tokens as the login had them; see `sealing.ts`. */
    sealed: text().notNull(),
    tries: integer().notNull().default(0),
    dueAt: integer().notNull(),
  },
  (revocation) => [index("token_revocations_due").on(revocation.dueAt)],
);
