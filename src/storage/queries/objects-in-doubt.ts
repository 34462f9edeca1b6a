// Objects in doubt: stored objects that no row names yet, or any more. Each is noted before it comes into doubt, so that a Worker that dies
// at any moment leaves none behind that the sweep does not find.
import { inArray, sql } from "drizzle-orm";
import { openD1 } from "../database.ts";
import { artifacts, objectsInDoubt } from "../tables/artifacts.ts";

/** Notes objects that are about to be stored, or that nothing names any more; from `dueAt` on the sweep removes what nothing names. */
export async function noteInDoubt(database: D1Database, keys: string[], dueAt: number): Promise<void> {
  const rows = keys.map((key) => ({ key, dueAt }));
  if (rows.length > 0) await openD1(database).insert(objectsInDoubt).values(rows).onConflictDoNothing().run();
}

/** Ends the doubt: these objects are gone, or named by a row. */
export async function endDoubt(database: D1Database, keys: string[]): Promise<void> {
  await openD1(database).delete(objectsInDoubt).where(inArray(objectsInDoubt.key, keys)).run();
}

/** Objects that should be gone by now. Those that an artifact names after all are not among them. */
export async function overdueObjects(database: D1Database, now: number, limit: number): Promise<string[]> {
  const found = await openD1(database)
    .select({ key: objectsInDoubt.key })
    .from(objectsInDoubt)
    .where(
      sql`${objectsInDoubt.dueAt} <= ${now} AND NOT EXISTS (SELECT 1 FROM ${artifacts} WHERE ${artifacts.bodyKey} = ${objectsInDoubt.key})`,
    )
    .orderBy(objectsInDoubt.dueAt)
    .limit(limit)
    .all();
  return found.map(({ key }) => key);
}
