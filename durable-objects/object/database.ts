// The SQLite database of one object, migrated before any other code uses it.
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";

type Migrations = Parameters<typeof migrate>[1];

export function getDatabase(ctx: DurableObjectState, migrations: Migrations): DrizzleSqliteDODatabase {
  const db = drizzle(ctx.storage, { casing: "snake_case" });
  void ctx.blockConcurrencyWhile(() => migrate(db, migrations));
  return db;
}

/**
 * The name that an object is addressed by. Throws if the object has no name. With an empty name
 * instead, code would act on a sandbox that does not exist, and end the one that does.
 */
export function getObjectName({ id }: DurableObjectState): string {
  if (!id.name) throw new Error(`The object ${id.toString()} has no name. Objects are addressed only by name.`);
  return id.name;
}
