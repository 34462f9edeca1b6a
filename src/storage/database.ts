// The D1 database, opened with drizzle.
import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

export function toDrizzle(database: D1Database): DrizzleD1Database {
  return drizzle(database, { casing: "snake_case" });
}

/**
 * True for one of the values, of which there may be many. They are one parameter of the query,
 * because D1 accepts only 100 parameters.
 */
export function isIn(column: SQLiteColumn, values: readonly string[]): SQL {
  // With one value, the index of a list also provides its order.
  if (values.length === 1) return sql`${column} = ${values[0]}`;
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/**
 * The database for a sweep that only wakes objects. Reads from the nearest replica if there is one,
 * otherwise from the primary; writes go to the primary. Within one run, no read is older than an
 * earlier one. The findings must be checked again against the newest state: a row that arrives late
 * is found a minute later.
 */
export function withReplicas(database: D1Database): D1Database {
  const session = database.withSession("first-unconstrained");
  return {
    prepare: (statement) => session.prepare(statement),
    batch: (statements) => session.batch(statements),
    exec: (statements) => database.exec(statements),
    withSession: (constraint) => database.withSession(constraint),
    dump: () => database.dump(),
  };
}
