// Reminders: many named deadlines on the single alarm of an object. A reminder is set in the transaction of the decision that needs it.
import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { reasonOf } from "../../src/error-text.ts";
import { effects, reminders } from "./tables/outbox.ts";

export interface Reminders {
  set(name: string, at: number): void;
  /** Sets a reminder, unless it is due earlier already. */
  setBy(name: string, at: number): void;
  forget(name: string): void;
  /** Calls `fire` for every due reminder. A reminder whose call throws or is interrupted fires again soon. */
  fireDue(now: number, fire: (name: string) => Promise<void>): Promise<void>;
  /** Sets the alarm to the earliest reminder or effect. Removes it if there is none. */
  arm(): void;
  /** Sets the alarm again if it was lost. */
  rearm(): Promise<void>;
}

const retryMs = 5_000;

/** Opens the reminders of an object. */
export function openReminders(storage: DurableObjectStorage, db: DrizzleSqliteDODatabase): Reminders {
  let armedAt: number | null | undefined;

  function set(name: string, at: number): void {
    db.insert(reminders).values({ name, at }).onConflictDoUpdate({ target: reminders.name, set: { at } }).run();
  }

  async function fireOne(name: string, fire: (name: string) => Promise<void>): Promise<void> {
    const againAt = Date.now() + retryMs;
    set(name, againAt);
    try {
      await fire(name);
      // Deletes only this firing. A reminder that was set again meanwhile stays.
      db.delete(reminders)
        .where(and(eq(reminders.name, name), eq(reminders.at, againAt)))
        .run();
    } catch (error) {
      console.error("reminder failed", name, reasonOf(error));
    }
  }

  function arm(): void {
    const [next] = db.all<{ at: number | null }>(
      sql`SELECT min(at) AS at FROM (SELECT min(at) AS at FROM ${reminders} UNION ALL SELECT min(due_at) FROM ${effects})`,
    );
    const at = next?.at ?? null;
    if (at === armedAt) return;
    armedAt = at;
    // Not awaited: the storage orders its writes, and the output gate holds responses until they are durable.
    void (at === null ? storage.deleteAlarm() : storage.setAlarm(Math.max(at, 1)));
  }

  return {
    set,
    setBy(name, at) {
      db.insert(reminders)
        .values({ name, at })
        .onConflictDoUpdate({ target: reminders.name, set: { at: sql`min(${reminders.at}, ${at})` } })
        .run();
    },
    forget(name) {
      db.delete(reminders).where(eq(reminders.name, name)).run();
    },
    async fireDue(now, fire) {
      armedAt = undefined;
      const due = db.select().from(reminders).where(lte(reminders.at, now)).orderBy(asc(reminders.at)).all();
      await Promise.all(due.map(({ name }) => fireOne(name, fire)));
    },
    arm,
    async rearm() {
      if ((await storage.getAlarm()) === null) armedAt = undefined;
      arm();
    },
  };
}
