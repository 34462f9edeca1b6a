// Users, their accounts at the code host, their memberships, and the invitations to workspaces.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { roles } from "../access/rules/membership.ts";
import type { WorkspaceNetwork } from "../network/rules/network.ts";
import { planNames } from "../workspace/rules/billing-plan.ts";
import { grantedRoles } from "../workspace/rules/member.ts";
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

export const workspaces = sqliteTable(
  "workspaces",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    slug: text().notNull(),
    logo: text(),
    timezone: text().notNull().default("UTC"),
    defaultModel: text(),
    plan: text({ enum: planNames }).notNull(),
    /** The total bytes of its `stored_objects`, maintained by triggers. */
    storedBytes: integer().notNull().default(0),
    /** The limit on the cost of a month's model calls, in US dollars; null for no limit. */
    spendLimitUsd: real(),
    /** What sandboxes may reach by default, and at most; null for everything. */
    network: text({ mode: "json" }).$type<WorkspaceNetwork>(),
    /** When an operator suspended the workspace; null for all others. */
    suspendedAt: integer(),
    createdAt: integer().notNull(),
  },
  (workspace) => [uniqueIndex("workspaces_by_slug").on(workspace.slug)],
);

export const members = sqliteTable(
  "members",
  {
    workspaceId: text()
      .notNull()
      .references(() => workspaces.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    role: text({ enum: roles }).notNull(),
    joinedAt: integer().notNull(),
  },
  (member) => [
    primaryKey({ columns: [member.workspaceId, member.userId] }),
    index("members_by_user").on(member.userId),
    // A workspace never has two owners, even after a bug in the queries.
    uniqueIndex("members_owner").on(member.workspaceId).where(sql`role = 'owner'`),
  ],
);

/** Open and expired invitations; a used one is deleted. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    /** In lower case. */
    email: text().notNull(),
    role: text({ enum: grantedRoles }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (invitation) => [
    uniqueIndex("invitations_by_address").on(invitation.workspaceId, invitation.email),
    index("invitations_by_email").on(invitation.email),
  ],
);
