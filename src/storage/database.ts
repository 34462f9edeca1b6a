// The D1 database, opened with drizzle.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export function openD1(database: D1Database): DrizzleD1Database {
  return drizzle(database, { casing: "snake_case" });
}
