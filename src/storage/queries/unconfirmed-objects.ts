// Unconfirmed objects: stored objects that no row names yet, or no longer names. Each is recorded before it can become an orphan, so the
// sweep finds it even if the Worker dies in between.
import { and, inArray, lte, sql } from "drizzle-orm";
import { openD1 } from "../database.ts";
import { artifacts, unconfirmedObjects } from "../tables/artifacts.ts";
import { plugins } from "../tables/plugins.ts";
import { skills } from "../tables/skills.ts";

/** Records objects that are about to be stored or that nothing names any more. From `dueAt` on, the sweep deletes those without a row. */
export async function noteUnconfirmed(database: D1Database, keys: string[], dueAt: number): Promise<void> {
  const rows = keys.map((key) => ({ key, dueAt }));
  if (rows.length > 0) await openD1(database).insert(unconfirmedObjects).values(rows).onConflictDoNothing().run();
}

/** Deletes the records of objects that are deleted, or that a row names now. */
export async function forgetUnconfirmed(database: D1Database, keys: string[]): Promise<void> {
  await openD1(database).delete(unconfirmedObjects).where(inArray(unconfirmedObjects.key, keys)).run();
}

/** The columns that name bodies. A body is kept while one of them has its key. */
const bodyKeys = [artifacts.bodyKey, plugins.bodyKey, skills.bodyKey];

/** The keys of unconfirmed objects that are due, except those that a row names. */
export async function overdueObjects(database: D1Database, now: number, limit: number): Promise<string[]> {
  const found = await openD1(database)
    .select({ key: unconfirmedObjects.key })
    .from(unconfirmedObjects)
    .where(
      and(
        lte(unconfirmedObjects.dueAt, now),
        ...bodyKeys.map(
          (named) => sql`NOT EXISTS (SELECT 1 FROM ${named.table} WHERE ${named} = ${unconfirmedObjects.key})`,
        ),
      ),
    )
    .orderBy(unconfirmedObjects.dueAt)
    .limit(limit)
    .all();
  return found.map(({ key }) => key);
}
