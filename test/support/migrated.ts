// Databases with rows that earlier versions wrote.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** A database as it was before a migration, and what that does to it. */
export function migrated(folder: string, migration: string, rows: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  const files = readdirSync(`migrations/${folder}`).filter((name) => name.endsWith(".sql"));
  const run = (name: string) => database.exec(readFileSync(`migrations/${folder}/${name}`, "utf8"));
  const earlier = files.filter((name) => name < migration).sort();
  earlier.forEach(run);
  for (const row of rows) database.exec(row);
  run(migration);
  return database;
}
