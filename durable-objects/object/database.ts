// The SQLite database of one object, brought up to date before anything else sees it.
import { type DrizzleSqliteDODatabase, drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";

type Migrations = Parameters<typeof migrate>[1];

export function openDatabase(ctx: DurableObjectState, migrations: Migrations): DrizzleSqliteDODatabase {
  const db = drizzle(ctx.storage, { casing: "snake_case" });
  void ctx.blockConcurrencyWhile(() => migrate(db, migrations));
  return db;
}
