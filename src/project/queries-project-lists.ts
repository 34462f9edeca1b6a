// Lists of projects, by name.
import { and, asc, count, eq, sql } from "drizzle-orm";
import type { ListFacts, Reach } from "../access/rules/reach.ts";
import { members, workspaces } from "../account/tables.ts";
import { isIn, openD1 } from "../storage/database.ts";
import { type ProjectRecord, recordColumns } from "./queries.ts";
import { projects } from "./tables.ts";

const byName = [asc(projects.name), asc(projects.id)];

/** The projects of a workspace. */
export async function projectsOf(database: D1Database, workspaceId: string): Promise<ProjectRecord[]> {
  return await openD1(database)
    .select(recordColumns)
    .from(projects)
    .where(eq(projects.workspaceId, workspaceId))
    .orderBy(...byName)
    .all();
}

export interface ProjectListQuery {
  reach: Reach;
  /** Any of these; empty for all that the caller reaches. */
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

/** Reads one page of the projects that a caller reaches, the total and the facts for access, in one round trip. */
export async function listProjects(
  database: D1Database,
  { reach, workspaceIds, page, pageSize }: ProjectListQuery,
): Promise<ProjectList> {
  const db = openD1(database);
  const joined = db
    .select({ workspaceId: members.workspaceId })
    .from(members)
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
