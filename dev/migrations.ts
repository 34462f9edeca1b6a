// D1 migrations on one machine: the same as `wrangler d1 migrations apply`, with the same table of applied ones, without a second runtime.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../migrations/d1");

/** Applies pending migrations in order, each in one transaction. */
export async function applyMigrations(database: D1Database): Promise<void> {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const name of names) {
    if (applied.has(name)) continue;
    const statements = (await readFile(`${folder}/${name}`, "utf8")).split("--> statement-breakpoint");
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
    ]);
  }
}
