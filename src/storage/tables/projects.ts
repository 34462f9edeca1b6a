// Projects: a repository of a workspace, and the settings of its services.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectSettings } from "../../rules/project/settings.ts";

export const projects = sqliteTable(
  "projects",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    name: text().notNull(),
    /** `owner/name` on the code host. */
    repository: text().notNull(),
    targetBranch: text().notNull(),
    deployStatus: text().notNull(),
    settings: text({ mode: "json" }).$type<ProjectSettings>().notNull(),
    mainSandboxKey: text().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (project) => [
    index("projects_by_workspace").on(project.workspaceId),
    // Code hosts ignore case in repository names.
    index("projects_by_repository").on(sql`repository COLLATE NOCASE`),
  ],
);
