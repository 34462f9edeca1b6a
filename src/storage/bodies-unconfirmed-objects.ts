// Unconfirmed objects: stored objects that no row names yet, or no longer names. Each is recorded before it can become an orphan, so the
// sweep finds it even if the Worker dies in between.
import { and, lte, sql } from "drizzle-orm";
import { artifacts, unconfirmedObjects } from "../artifact/tables.ts";
import { plugins } from "../plugin/tables.ts";
import { skills } from "../skill/tables.ts";
import { openD1 } from "./database.ts";

/** Records objects that are about to be stored or that nothing names any more. From `dueAt` on, the sweep deletes those without a row. */
export async function noteUnconfirmed(database: D1Database, keys: string[], dueAt: number): Promise<void> {
  if (keys.length > 0) await noting(database, keys, dueAt).run();
}

/** The statement of `noteUnconfirmed`. */
export function noting(database: D1Database, keys: string[], dueAt: number): D1PreparedStatement {
  return database
    .prepare(
      "INSERT INTO objects_in_doubt (key, due_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING",
    )
    .bind(JSON.stringify(keys), dueAt);
}

/**
 * Deletes the records of objects that are deleted, or that a row names now. `beside` is done in the
 * same transaction.
 */
export async function forgetUnconfirmed(
  database: D1Database,
  keys: string[],
  beside: D1PreparedStatement[] = [],
): Promise<void> {
  const forgotten = database
    .prepare("DELETE FROM objects_in_doubt WHERE key IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(keys));
  await database.batch([forgotten, ...beside]);
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
