// Workspaces.
import { and, asc, eq, sql } from "drizzle-orm";
import { ownedWorkspacesMax } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import type { PlanName } from "../rules/billing-plan.ts";
import { members, workspaces } from "../tables.ts";

export type Workspace = typeof workspaces.$inferSelect;

/** The workspaces that a user is a member of, ordered by name; with `onlyId`, only that one. */
export async function listWorkspaces(
  database: D1Database,
  userId: string,
  onlyId: string | null = null,
): Promise<Workspace[]> {
  const found = await toDrizzle(database)
    .select({ workspace: workspaces })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.userId, userId), onlyId === null ? undefined : eq(workspaces.id, onlyId)))
    .orderBy(asc(workspaces.name), asc(workspaces.id))
    .all();
  return found.map(({ workspace }) => workspace);
}

/** Reads a workspace; null for an unknown id. */
export async function findWorkspace(database: D1Database, workspaceId: string): Promise<Workspace | null> {
  return (await toDrizzle(database).select().from(workspaces).where(eq(workspaces.id, workspaceId)).get()) ?? null;
}

/** Reads a workspace by its slug; null for an unknown one. */
export async function findWorkspaceBySlug(database: D1Database, slug: string): Promise<Workspace | null> {
  return (await toDrizzle(database).select().from(workspaces).where(eq(workspaces.slug, slug)).get()) ?? null;
}

/** Sets the plan of a workspace. False for an unknown slug. */
export async function updatePlan(database: D1Database, slug: string, plan: PlanName): Promise<boolean> {
  const changed = await toDrizzle(database)
    .update(workspaces)
    .set({ plan })
    .where(eq(workspaces.slug, slug))
    .returning({ id: workspaces.id });
  return changed.length > 0;
}

/** How many workspaces a user owns. */
export async function countOwned(database: D1Database, userId: string): Promise<number> {
  return (
    (await database
      .prepare(`SELECT ${getOwnedCountSql("?1")} AS owned`)
      .bind(userId)
      .first<number>("owned")) ?? 0
  );
}

/** How many workspaces a user owns, in SQL. */
export function getOwnedCountSql(userId: string): string {
  return `(SELECT count(*) FROM members o WHERE o.user_id = ${userId} AND o.role = 'owner')`;
}

/**
 * Creates a workspace with its owner. False if the slug is taken, or the owner owns the maximum
 * number.
 */
export async function addWorkspace(
  database: D1Database,
  workspace: Omit<Workspace, "storedBytes" | "network" | "suspendedAt">,
  ownerId: string,
): Promise<boolean> {
  const { id, name, slug, timezone, plan, createdAt } = workspace;
  const [added] = await database.batch([
    database
      .prepare(
        `INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE ${getOwnedCountSql("?7")} < ${ownedWorkspacesMax} ON CONFLICT (slug) DO NOTHING RETURNING id`,
      )
      .bind(id, name, slug, timezone, plan, createdAt, ownerId),
    database
      .prepare(
        `INSERT INTO members (workspace_id, user_id, role, joined_at)
         SELECT id, ?2, 'owner', created_at FROM workspaces WHERE id = ?1`,
      )
      .bind(id, ownerId),
  ]);
  return added !== undefined && added.results.length > 0;
}

export type WorkspaceChanges = {
  [Field in "name" | "slug" | "defaultModel" | "timezone" | "spendLimitUsd" | "generatedTitles"]?:
    | Workspace[Field]
    | undefined;
};

/** Changes a workspace, and returns it. Null if the slug is taken, or the workspace is deleted. */
export async function updateWorkspace(
  database: D1Database,
  workspaceId: string,
  changes: WorkspaceChanges,
): Promise<Workspace | null> {
  const slug = changes.slug ?? "";
  const isFree = sql`NOT EXISTS (SELECT 1 FROM workspaces AS other WHERE other.slug = ${slug} AND other.id <> ${workspaceId})`;
  const changed = await toDrizzle(database)
    .update(workspaces)
    // An update without changes returns the row unchanged.
    .set({ ...changes, id: workspaceId })
    .where(and(eq(workspaces.id, workspaceId), isFree))
    .returning()
    .get();
  return changed ?? null;
}

/** The first of the given slugs that no workspace has; null if all are taken. */
export async function findFreeSlug(database: D1Database, slugs: string[]): Promise<string | null> {
  return await database
    .prepare("SELECT value FROM json_each(?1) WHERE value NOT IN (SELECT slug FROM workspaces) ORDER BY key LIMIT 1")
    .bind(JSON.stringify(slugs))
    .first("value");
}

/** True while an operator has suspended the workspace. */
export async function isWorkspaceSuspended(database: D1Database, id: string): Promise<boolean> {
  const found = database.prepare("SELECT 1 AS found FROM workspaces WHERE id = ?1 AND suspended_at IS NOT NULL");
  return (await found.bind(id).first("found")) !== null;
}
