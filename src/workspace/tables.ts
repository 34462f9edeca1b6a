// Workspaces, their members, and the invitations to them.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { roles } from "../access/rules/membership.ts";
import { users } from "../account/tables.ts";
import type { WorkspaceNetwork } from "../network/rules/network.ts";
import { planNames } from "./rules/billing-plan.ts";
import { grantedRoles } from "./rules/member.ts";

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
    /** True if models write the titles of sessions that were given none. */
    generatedTitles: integer({ mode: "boolean" }).notNull().default(false),
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
    /** The admin who sent it, with whose role it ends. Null if that was not recorded. */
    createdBy: text(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (invitation) => [
    uniqueIndex("invitations_by_address").on(invitation.workspaceId, invitation.email),
    index("invitations_by_email").on(invitation.email),
  ],
);
