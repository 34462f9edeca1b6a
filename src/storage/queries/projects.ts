// Projects by id.
import { eq } from "drizzle-orm";
import { openD1 } from "../database.ts";
import { projects } from "../tables/projects.ts";

export type Project = typeof projects.$inferSelect;

/** Reads a project; null for an unknown id. */
export async function findProject(database: D1Database, projectId: string): Promise<Project | null> {
  const found = await openD1(database).select().from(projects).where(eq(projects.id, projectId)).get();
  return found ?? null;
}
