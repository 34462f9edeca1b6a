// The log of a run: what the sandbox program reported of it. Only the newest part is stored, for a
// limited time after the run.
import { asc, desc, eq, lte, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { countBytes, getNewestLines } from "../../src/cron/rules/run-log.ts";
import { diagnosticsLogBytes } from "../../src/rules/limits.ts";
import { logPieces } from "./tables.ts";

const pieceBytes = 16 * 1_024;

export interface RunLog {
  /** Adds whole lines, and drops the oldest ones beyond the size limit of a log. */
  append(lines: string): void;
  /** The stored lines, oldest first. */
  lines(): string[];
  clear(): void;
}

/** Creates the log of a run. */
export function createRunLog(db: DrizzleSqliteDODatabase): RunLog {
  /** Drops the pieces that are not needed for the newest `limitBytes`. */
  function dropBeyond(limitBytes: number): void {
    const { seq, bytes } = logPieces;
    let newer = 0;
    for (const piece of db.select({ seq, bytes }).from(logPieces).orderBy(desc(seq)).all()) {
      if (newer >= limitBytes) return void db.delete(logPieces).where(lte(seq, piece.seq)).run();
      newer += piece.bytes;
    }
  }

  return {
    append(lines) {
      const piece = getNewestLines(lines, diagnosticsLogBytes);
      const bytes = countBytes(piece);
      const last = db.select().from(logPieces).orderBy(desc(logPieces.seq)).limit(1).get();
      // Small pieces are joined, so that the log takes few rows however many lines it has.
      if (last && last.bytes + bytes <= pieceBytes) {
        const grown = { lines: sql`${logPieces.lines} || ${piece}`, bytes: last.bytes + bytes };
        db.update(logPieces).set(grown).where(eq(logPieces.seq, last.seq)).run();
      } else db.insert(logPieces).values({ lines: piece, bytes }).run();
      dropBeyond(diagnosticsLogBytes);
    },
    lines: () =>
      db
        .select({ lines: logPieces.lines })
        .from(logPieces)
        .orderBy(asc(logPieces.seq))
        .all()
        .flatMap(({ lines }) => lines.split("\n").filter((line) => line !== "")),
    clear: () => void db.delete(logPieces).run(),
  };
}
