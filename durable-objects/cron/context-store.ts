// The storage of a cron: its state in one row, and the slots that it fired.
import { eq, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { CronState } from "../../src/cron/rules/cron.ts";
import type { FiredRun } from "../../src/cron/rules/run-status-fired-run.ts";
import { cron, firedSlots } from "./tables.ts";

export interface CronStore {
  /** Null before the cron is created, and once it is deleted. */
  find(): CronState | null;
  /** With null the cron is deleted. */
  save(after: CronState | null): void;
  /** The runs of a slot that was fired; null for any other. */
  fired(slot: number): FiredRun[] | null;
  noteFired(slot: number, runs: FiredRun[]): void;
}

/** Longer than a missed slot is taken notice of. */
const rememberedMs = 48 * 3_600_000;

/** Opens the storage of a cron. */
export function openCronStore(db: DrizzleSqliteDODatabase): CronStore {
  return {
    find: () => db.select().from(cron).get()?.state ?? null,
    save(after) {
      if (after === null) {
        db.delete(cron).run();
        db.delete(firedSlots).run();
        return;
      }
      const row = { id: after.cron.id, state: after };
      db.insert(cron).values(row).onConflictDoUpdate({ target: cron.id, set: row }).run();
    },
    fired: (slot) => db.select().from(firedSlots).where(eq(firedSlots.slot, slot)).get()?.runs ?? null,
    noteFired(slot, runs) {
      db.delete(firedSlots)
        .where(lt(firedSlots.slot, Date.now() - rememberedMs))
        .run();
      db.insert(firedSlots).values({ slot, runs }).onConflictDoNothing().run();
    },
  };
}
