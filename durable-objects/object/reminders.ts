// Reminders: many named deadlines on the single alarm of an object. A reminder is set in the
// transaction of the decision that needs it.
import { and, asc, eq, gt, lte, ne, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { effects, reminders } from "./tables/outbox.ts";

export interface Reminders {
  /** Sets a reminder. Nothing is written if it is already set for that time. */
  set(name: string, at: number): void;
  /** Sets a reminder, unless it is already due earlier. */
  setBy(name: string, at: number): void;
  forget(name: string): void;
  forgetAll(): void;
  /**
   * Calls `fire` for every due reminder. If the call throws, the reminder fires again soon. If it
   * is interrupted, the reminder is still due, and the platform repeats the alarm.
   */
  fireDue(now: number, fire: (name: string) => Promise<void>): Promise<void>;
  /**
   * Sets the alarm to the earliest reminder or effect, or deletes it if there is none. While
   * effects are performed, the alarm is needed only in case the object dies. So an alarm that is
   * already set earlier stays. One that fires soon and before every reminder also stays: it finds
   * nothing due, and is set again.
   */
  arm(isPerforming: boolean): void;
  /**
   * Reads the time of the current alarm. Before this is called, the alarm is set without a
   * comparison.
   */
  readAlarm(): Promise<void>;
}

const retryMs = 5_000;
/** An alarm within this time is early enough for the effects of an object that died. */
const soonMs = 30_000;

/** Creates the reminders of an object. */
export function createReminders(
  storage: DurableObjectStorage,
  db: DrizzleSqliteDODatabase,
  logFailure: (name: string, error: unknown) => void,
): Reminders {
  let armedAt: number | null | undefined;
  /**
   * The reminders that are firing and were not set again meanwhile, each with the time to fire
   * again if this fails.
   */
  const firing = new Map<string, number>();

  function set(name: string, at: number): void {
    firing.delete(name);
    db.insert(reminders)
      .values({ name, at })
      .onConflictDoUpdate({ target: reminders.name, set: { at }, setWhere: ne(reminders.at, at) })
      .run();
  }

  async function fireOne(name: string, at: number, fire: (name: string) => Promise<void>): Promise<void> {
    const isStored = and(eq(reminders.name, name), eq(reminders.at, at));
    const againAt = Date.now() + retryMs;
    firing.set(name, againAt);
    try {
      await fire(name);
      // Deleted after firing, so that the write joins the last one of that call. A reminder that
      // was set again meanwhile stays.
      if (firing.delete(name)) return void db.delete(reminders).where(isStored).run();
    } catch (error) {
      firing.delete(name);
      logFailure(name, error);
    }
    db.update(reminders).set({ at: againAt }).where(isStored).run();
  }

  return {
    set,
    setBy(name, at) {
      const againAt = firing.get(name);
      if (againAt !== undefined) return set(name, Math.min(againAt, at));
      db.insert(reminders)
        .values({ name, at })
        .onConflictDoUpdate({ target: reminders.name, set: { at }, setWhere: gt(reminders.at, at) })
        .run();
    },
    forget(name) {
      firing.delete(name);
      db.delete(reminders).where(eq(reminders.name, name)).run();
    },
    forgetAll() {
      firing.clear();
      db.delete(reminders).run();
    },
    async fireDue(now, fire) {
      armedAt = undefined;
      const due = db.select().from(reminders).where(lte(reminders.at, now)).orderBy(asc(reminders.at)).all();
      await Promise.all(due.map(({ name, at }) => fireOne(name, at, fire)));
    },
    arm(isPerforming) {
      const [next] = db.all<{ reminderAt: number | null; effectAt: number | null }>(
        sql`SELECT (SELECT min(at) FROM ${reminders}) AS reminderAt, (SELECT min(due_at) FROM ${effects}) AS effectAt`,
      );
      const reminderAt = next?.reminderAt ?? Number.POSITIVE_INFINITY;
      const earliest = Math.min(reminderAt, next?.effectAt ?? Number.POSITIVE_INFINITY);
      const at = earliest === Number.POSITIVE_INFINITY ? null : earliest;
      if (at === armedAt) return;
      if (isPerforming && armedAt && armedAt <= Math.max(earliest, Math.min(reminderAt, Date.now() + soonMs))) return;
      armedAt = at;
      // Not awaited: the storage orders its writes, and the output gate holds responses until they
      // are durable.
      void (at === null ? storage.deleteAlarm() : storage.setAlarm(Math.max(at, 1)));
    },
    async readAlarm() {
      armedAt = await storage.getAlarm();
    },
  };
}
