// The Prototypes of a project.
import { and, desc, eq, inArray } from "drizzle-orm";
import { listedMax } from "../rules/limits.ts";
import { openD1 } from "../storage/database.ts";
import { prototypes, unconfirmedObjects } from "./tables.ts";

export type PrototypeRow = typeof prototypes.$inferSelect;

/** The Prototypes of a project, newest first, at most `listedMax`. */
export async function prototypesOf(database: D1Database, projectId: string): Promise<PrototypeRow[]> {
  return await openD1(database)
    .select()
    .from(prototypes)
    .where(eq(prototypes.projectId, projectId))
    .orderBy(desc(prototypes.createdAt), desc(prototypes.id))
    .limit(listedMax)
    .all();
}

/** A Prototype of a project; null if the project has none with this id. */
export async function findPrototype(database: D1Database, projectId: string, id: string): Promise<PrototypeRow | null> {
  const found = await openD1(database).select().from(prototypes).where(ofProject(projectId, id)).get();
  return found ?? null;
}

/** Adds a Prototype whose bodies are stored under these keys, and removes the keys from the unconfirmed objects. */
export async function addPrototype(database: D1Database, row: PrototypeRow, bodyKeys: string[]): Promise<void> {
  const db = openD1(database);
  await db.batch([
    db.insert(prototypes).values(row),
    db.delete(unconfirmedObjects).where(inArray(unconfirmedObjects.key, bodyKeys)),
  ]);
}

/** Removes a Prototype, and records the keys of its bodies as unconfirmed objects. */
export async function removePrototype(
  database: D1Database,
  { projectId, id }: PrototypeRow,
  bodyKeys: string[],
  now: number,
): Promise<void> {
  const db = openD1(database);
  const unconfirmed = bodyKeys.map((key) => ({ key, dueAt: now }));
  await db.batch([
    db.insert(unconfirmedObjects).values(unconfirmed).onConflictDoNothing(),
    db.delete(prototypes).where(ofProject(projectId, id)),
  ]);
}

const ofProject = (projectId: string, id: string) => and(eq(prototypes.id, id), eq(prototypes.projectId, projectId));
