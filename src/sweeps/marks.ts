// Stores the progress of a sweep that continues where the last one ended.
import type { SweepRound } from "./rules/round.ts";

/**
 * The time up to which a sweep has looked, in milliseconds since the epoch; null if it never ran.
 */
export async function readMark(database: D1Database, sweep: string): Promise<number | null> {
  return await database.prepare("SELECT at FROM sweep_marks WHERE sweep = ?1").bind(sweep).first<number>("at");
}

/** Advances a mark. It never moves backwards, so two concurrent sweeps do no harm. */
export async function updateMark(database: D1Database, sweep: string, at: number): Promise<void> {
  await database
    .prepare("INSERT INTO sweep_marks (sweep, at) VALUES (?1, ?2) ON CONFLICT (sweep) DO UPDATE SET at = max(at, ?2)")
    .bind(sweep, at)
    .run();
}

/** The progress of a sweep in a table; null if it never started. */
export async function readRound(database: D1Database, sweep: string): Promise<SweepRound | null> {
  return await database
    .prepare("SELECT at, cursor FROM sweep_marks WHERE sweep = ?1")
    .bind(sweep)
    .first<{ at: number; cursor: string | null }>();
}

/** Saves the progress of a sweep. Two concurrent sweeps read rows twice, which does no harm. */
export async function saveRound(database: D1Database, sweep: string, { at, cursor }: SweepRound): Promise<void> {
  await database
    .prepare(
      `INSERT INTO sweep_marks (sweep, at, cursor) VALUES (?1, ?2, ?3)
       ON CONFLICT (sweep) DO UPDATE SET at = excluded.at, cursor = excluded.cursor`,
    )
    .bind(sweep, at, cursor)
    .run();
}
