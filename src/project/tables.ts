// Projects: a repository of a workspace, and the settings of its services.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { deployStatuses, isAtWork } from "../deploy/rules/status.ts";
import type { Network } from "../network/rules/network.ts";
import type { ProjectSettings, StoredValue } from "./rules/settings.ts";

/** The statuses of a running Deploy, as SQL. */
export const statusesAtWork = deployStatuses
  .filter((status) => isAtWork(status) || status === "warming_pool")
  .map((status) => `'${status}'`)
  .join(", ");

export const projects = sqliteTable(
  "projects",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    name: text().notNull(),
    /** `owner/name` on the code host. */
    repository: text().notNull(),
    /**
     * The code host's ids of the app's installation and of the repository. Access is by id. Both
     * are null until they are known.
     */
    installationId: integer(),
    repositoryId: integer(),
    targetBranch: text().notNull(),
    deployStatus: text().notNull(),
    /**
     * True once a Deploy was promoted: the main sandbox exists, or a Recovery Deploy restores it.
     */
    isLive: integer({ mode: "boolean" }).notNull().default(false),
    /**
     * True while a member's Deploy runs and is not promoted yet. No sandbox of a session is created
     * meanwhile.
     */
    holdsSessionsUp: integer({ mode: "boolean" }).notNull().default(false),
    settings: text({ mode: "json" }).$type<ProjectSettings<StoredValue>>().notNull(),
    /** The id of the key that sealed all environment values; null without such values. */
    settingsKey: text(),
    /** What its sandboxes may reach; null for the default of the workspace. */
    network: text({ mode: "json" }).$type<Network>(),
    /** The network that the deploy agent proposed last; null since a member set one. */
    networkProposal: text({ mode: "json" }).$type<Network>(),
    mainSandboxKey: text().notNull(),
    /**
     * When the main sandbox last released its slot, in milliseconds since the epoch; 0 before the
     * first time.
     */
    mainSleptAt: integer().notNull().default(0),
    /** True if the main sandbox of a live project was deleted, because nobody used it. */
    isMainReclaimed: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (project) => [
    index("projects_by_workspace").on(project.workspaceId),
    index("projects_by_sandbox").on(project.mainSandboxKey),
    index("projects_by_repository_id").on(project.repositoryId),
    index("projects_by_settings_key").on(project.settingsKey),
    // For the sweep of main sandboxes that nobody uses.
    index("projects_by_main_sleep").on(project.mainSleptAt).where(sql`is_live = 1 AND is_main_reclaimed = 0`),
    // For the sweep of Deploys whose object lost its alarm.
    index("projects_at_work")
      .on(project.deployStatus)
      .where(sql.raw(`deploy_status IN (${statusesAtWork})`)),
    // Code hosts ignore case in repository names.
    index("projects_by_repository").on(sql`repository COLLATE NOCASE`),
  ],
);
