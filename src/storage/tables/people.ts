// Users, and the workspaces they are members of.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { roles } from "../../rules/membership.ts";
import { planNames } from "../../rules/plan.ts";

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull(),
    imageUrl: text(),
    createdAt: integer().notNull(),
  },
  (user) => [uniqueIndex("users_by_email").on(user.email)],
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
  ],
);
