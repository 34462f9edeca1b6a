// Workspaces and their members.
import { and, asc, eq } from "drizzle-orm";
import type { PlanName } from "../../rules/workspace/plan.ts";
import { openD1 } from "../database.ts";
import { members, users, workspaces } from "../tables/people.ts";

export type Workspace = typeof workspaces.$inferSelect;

/** The workspaces that a user is a member of, ordered by name. */
export async function workspacesOf(database: D1Database, userId: string): Promise<Workspace[]> {
  const found = await openD1(database)
    .select({ workspace: workspaces })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, userId))
    .orderBy(asc(workspaces.name), asc(workspaces.id))
    .all();
  return found.map(({ workspace }) => workspace);
}

/** The plan of a workspace. Throws for an unknown one. */
export async function workspacePlan(database: D1Database, workspaceId: string): Promise<PlanName> {
  const found = await openD1(database)
    .select({ plan: workspaces.plan })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .get();
  if (!found) throw new Error(`no workspace ${workspaceId}`);
  return found.plan;
}

export interface Member {
  userId: string;
  name: string;
  imageUrl: string | null;
}

/** A member of a workspace; null if the user is none. */
export async function findMember(database: D1Database, workspaceId: string, userId: string): Promise<Member | null> {
  const found = await openD1(database)
    .select({ userId: users.id, name: users.name, imageUrl: users.imageUrl })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)))
    .get();
  return found ?? null;
}
