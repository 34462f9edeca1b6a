// Projects by id.
import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { ListFacts, Reach } from "../access/rules/reachable-workspaces.ts";
import { projectsPerWorkspace } from "../rules/limits.ts";
import { isIn, toDrizzle } from "../storage/database.ts";
import { members, workspaces } from "../workspace/tables.ts";
import { projects } from "./tables.ts";

export type Project = typeof projects.$inferSelect;

/** The columns of a project that the API returns. */
export const recordColumns = {
  id: projects.id,
  workspaceId: projects.workspaceId,
  name: projects.name,
  repository: projects.repository,
  targetBranch: projects.targetBranch,
  deployStatus: projects.deployStatus,
  createdAt: projects.createdAt,
  updatedAt: projects.updatedAt,
};
export type ProjectRecord = Pick<Project, keyof typeof recordColumns>;

/** The fields of a project that the API returns. */
export function toRecord(project: Project): ProjectRecord {
  const { id, workspaceId, name, repository, targetBranch, deployStatus, createdAt, updatedAt } = project;
  return { id, workspaceId, name, repository, targetBranch, deployStatus, createdAt, updatedAt };
}

/** Reads a project; null for an unknown id. */
export async function findProject(database: D1Database, projectId: string): Promise<Project | null> {
  const found = await toDrizzle(database).select().from(projects).where(eq(projects.id, projectId)).get();
  return found ?? null;
}

/** How many projects a workspace has. */
export async function countProjects(database: D1Database, workspaceId: string): Promise<number> {
  const counted = database.prepare("SELECT count(*) AS projects FROM projects WHERE workspace_id = ?1");
  return (await counted.bind(workspaceId).first<number>("projects")) ?? 0;
}

/**
 * Adds a project. False if the workspace is full or deleted, the creator is no longer a member of
 * it, or the project is there already.
 */
export async function addProject(database: D1Database, project: Project, userId: string): Promise<boolean> {
  const { id, workspaceId, name, repository, installationId, repositoryId, targetBranch, deployStatus } = project;
  const { settings, settingsKey, mainSandboxKey, createdAt, updatedAt } = project;
  const added = await database
    .prepare(
      `INSERT INTO projects (id, workspace_id, name, repository, installation_id, repository_id, target_branch, deploy_status, settings,
         settings_key, main_sandbox_key, created_at, updated_at)
       SELECT ?1, w.id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
       FROM workspaces w JOIN members m ON m.workspace_id = w.id AND m.user_id = ?14
       WHERE w.id = ?2 AND (SELECT count(*) FROM projects o WHERE o.workspace_id = ?2) < ${projectsPerWorkspace}
       ON CONFLICT (id) DO NOTHING`,
    )
    .bind(
      ...[id, workspaceId, name, repository, installationId, repositoryId, targetBranch, deployStatus],
      ...[JSON.stringify(settings), settingsKey, mainSandboxKey, createdAt, updatedAt, userId],
    )
    .run();
  return added.meta.changes > 0;
}

export type ProjectChanges = { [Field in "name" | "targetBranch"]?: Project[Field] | undefined };

/** Changes a project, and returns it; null for an unknown id. */
export async function updateProject(
  database: D1Database,
  id: string,
  changes: ProjectChanges & { updatedAt: number },
): Promise<ProjectRecord | null> {
  const changed = await toDrizzle(database)
    .update(projects)
    .set(changes)
    .where(eq(projects.id, id))
    .returning(recordColumns)
    .get();
  return changed ?? null;
}

/** The stored text of a project's settings; null for an unknown id. */
export async function findSettingsText(database: D1Database, id: string): Promise<string | null> {
  return await database.prepare("SELECT settings FROM projects WHERE id = ?1").bind(id).first<string>("settings");
}

/** The sealed settings of a workspace's projects; of all of them without `ids`. */
export async function listProjectSettings(
  database: D1Database,
  workspaceId: string,
  ids: readonly string[] | null,
): Promise<Pick<Project, "id" | "settings">[]> {
  return await toDrizzle(database)
    .select({ id: projects.id, settings: projects.settings })
    .from(projects)
    .where(and(eq(projects.workspaceId, workspaceId), ids === null ? undefined : isIn(projects.id, ids)));
}

/** Sealed settings, and the stored text that they replace. */
export interface SettingsReplacement extends Pick<Project, "id" | "settings" | "settingsKey"> {
  /** The stored text that was read. */
  read: string;
  /** Missing if the settings are only resealed. */
  updatedAt?: number;
}

/**
 * Replaces the settings that were read. False, without a change, if they have changed meanwhile.
 */
export async function replaceSettings(
  database: D1Database,
  { id, read, settings, settingsKey, updatedAt }: SettingsReplacement,
): Promise<boolean> {
  const replaced = await database
    .prepare(
      `UPDATE projects SET settings = ?3, settings_key = ?4, updated_at = coalesce(?5, updated_at)
       WHERE id = ?1 AND settings = ?2`,
    )
    .bind(id, read, JSON.stringify(settings), settingsKey, updatedAt ?? null)
    .run();
  return replaced.meta.changes > 0;
}

const byName = [asc(projects.name), asc(projects.id)];

/** The projects of a workspace, by name. */
export async function listWorkspaceProjects(database: D1Database, workspaceId: string): Promise<ProjectRecord[]> {
  return await toDrizzle(database)
    .select(recordColumns)
    .from(projects)
    .where(eq(projects.workspaceId, workspaceId))
    .orderBy(...byName)
    .all();
}

export interface ProjectListQuery {
  reach: Reach;
  /** Any of these; empty for all that the caller can access. */
  workspaceIds: readonly string[];
  page: number;
  pageSize: number;
}

export interface ProjectList {
  /** The facts that decide whether the caller may see the list. */
  facts: ListFacts;
  projects: ProjectRecord[];
  total: number;
}

/**
 * Reads one page of the projects that a caller can access, the total and the facts for access, in
 * one round trip.
 */
export async function listProjects(
  database: D1Database,
  { reach, workspaceIds, page, pageSize }: ProjectListQuery,
): Promise<ProjectList> {
  const db = toDrizzle(database);
  const joined = db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.suspendedAt)))
    .where(eq(members.userId, reach.kind === "memberships" ? reach.userId : ""));
  const isReached =
    reach.kind === "workspace"
      ? eq(projects.workspaceId, reach.workspaceId)
      : sql`${projects.workspaceId} IN ${joined}`;
  const isNamed = workspaceIds.length > 0 ? isIn(projects.workspaceId, workspaceIds) : undefined;
  const wanted = and(isReached, isNamed);
  const [known, memberships, counted, found] = await db.batch([
    db.select({ id: workspaces.id }).from(workspaces).where(isIn(workspaces.id, workspaceIds)),
    joined,
    db.select({ total: count() }).from(projects).where(wanted),
    db
      .select(recordColumns)
      .from(projects)
      .where(wanted)
      .orderBy(...byName)
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ]);
  return {
    facts: {
      workspaceIds: known.map(({ id }) => id),
      reached: reach.kind === "workspace" ? [reach.workspaceId] : memberships.map(({ workspaceId }) => workspaceId),
    },
    projects: found,
    total: counted[0]?.total ?? 0,
  };
}
