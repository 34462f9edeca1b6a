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

/** Puts sealed settings in the place of what was read, word for word; does nothing when something else stands there by now. */
export async function replaceSettings(
  database: D1Database,
  id: string,
  read: string,
  { settings, settingsKey }: Pick<Project, "settings" | "settingsKey">,
): Promise<void> {
  await database
    .prepare("UPDATE projects SET settings = ?3, settings_key = ?4 WHERE id = ?1 AND settings = ?2")
    .bind(id, read, JSON.stringify(settings), settingsKey)
    .run();
}
