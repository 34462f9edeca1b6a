// The D1 database, opened with drizzle.
import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

export function openD1(database: D1Database): DrizzleD1Database {
  return drizzle(database, { casing: "snake_case" });
}

/** True for one of the values, of which there may be many. They are one parameter of the query: D1 takes 100 parameters. */
export function isIn(column: SQLiteColumn, values: readonly string[]): SQL {
  // With one value, the index of a list also gives its order.
  if (values.length === 1) return sql`${column} = ${values[0]}`;
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}
