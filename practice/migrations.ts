// D1 migrations on one machine: like `wrangler d1 migrations apply`, with the same table of applied
// migrations, but without a second runtime.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../migrations/d1");

/** State that another version made, which this one cannot read. */
export class EarlierState extends Error {
  constructor() {
    super(
      "This state folder was made by Switchyard 0.x, which this version cannot read. Set STATE_DIR to another folder, or move it away.",
    );
  }
}

/** The name of the newest migration. */
export async function findNewestMigration(): Promise<string | undefined> {
  return (await migrationNames()).at(-1);
}

/**
 * Applies the pending migrations in order, all in one transaction. Throws EarlierState for a
 * database that began with another migration.
 */
export async function applyMigrations(database: D1Database): Promise<void> {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const names = await migrationNames();
  if (applied.size > 0 && !applied.has(names[0] ?? "")) throw new EarlierState();
  const pending = names.filter((name) => !applied.has(name));
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
