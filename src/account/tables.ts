// Users, and their accounts at the code host.
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { NotificationKind } from "../notification/rules/notification.ts";
import { replyStyles } from "./rules/profile.ts";

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull(),
    imageUrl: text(),
    /** The Commits preference: true means Automatic, false means Manual. */
    autoCommit: integer({ mode: "boolean" }).notNull().default(true),
    /** The style in which agents write to the user. */
    replyStyle: text({ enum: replyStyles }).notNull().default("standard"),
    marketingEmails: integer({ mode: "boolean" }).notNull().default(false),
    onboardingCompleted: integer({ mode: "boolean" }).notNull().default(false),
    /** The model of new work; null for the workspace's default. */
    defaultModel: text(),
    /** The kinds of notifications that the user has switched off. */
    notificationsOff: text({ mode: "json" }).$type<NotificationKind[]>().notNull().default([]),
    /** When an operator suspended the user; null for everyone else. */
    suspendedAt: integer(),
    createdAt: integer().notNull(),
    /** When the person was deleted. The row stays without their data, for what names its id. */
    deletedAt: integer(),
  },
  (user) => [uniqueIndex("users_by_email").on(user.email)],
);

export const codeHostIdentities = sqliteTable(
  "code_host_identities",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    /** The code host's id of the account. It stays the same when the login changes. */
    hostUserId: text().notNull(),
    login: text().notNull(),
    name: text().notNull(),
    /** The author address of the user's commits. */
    email: text().notNull(),
    /** The user's tokens for the code host, as JSON; see `sealing.ts`. */
    sealed: text().notNull(),
    /** When the access token expires; null if it does not. */
    expiresAt: integer(),
    createdAt: integer().notNull(),
  },
  (identity) => [uniqueIndex("code_host_identities_by_host_user").on(identity.hostUserId)],
);
