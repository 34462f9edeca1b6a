// D1 migrations on one machine: like `wrangler d1 migrations apply`, with the same table of applied
// migrations, but without a second runtime.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../migrations/d1");

/** The name of the newest migration. */
export async function newestMigration(): Promise<string | undefined> {
  return (await migrationNames()).at(-1);
}

/** Applies the pending migrations in order, all in one transaction. */
export async function applyMigrations(database: D1Database): Promise<void> {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const pending = (await migrationNames()).filter((name) => !applied.has(name));
  const texts = await Promise.all(pending.map((name) => readFile(`${folder}/${name}`, "utf8")));
  // The runtime accepts a whole file as one statement. Each further statement costs a round trip.
  const statements = pending.flatMap((name, index) => [
    database.prepare(texts[index] ?? ""),
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
  ]);
  if (statements.length > 0) await database.batch(statements);
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
}
