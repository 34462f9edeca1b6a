// The storage of a webhook: its deliveries and their attempts.
import { and, asc, count, desc, eq, gte, inArray, isNotNull, lte, min, ne, notInArray, type SQL } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { webhookLogMs, webhookLogRows, webhookRecoverMax } from "../../src/rules/limits.ts";
import type { Attempt } from "../../src/webhook/rules/attempts.ts";
import type { DeliveryStatus } from "../../src/webhook/rules/status.ts";
import type { Delivery, DeliveryFilter, ListedDelivery } from "./rpc.ts";
import { attempts, deliveries } from "./tables.ts";

export type DeliveryRow = typeof deliveries.$inferSelect;
type NewDelivery = typeof deliveries.$inferInsert;

export interface DeliveryStore {
  /** Adds a delivery, unless its id is known. */
  add(delivery: NewDelivery): void;
  /** The delivery to try next, besides those at work. New deliveries come before failed ones. */
  nextDue(atWork: readonly string[], now: number): DeliveryRow | undefined;
  /** When the next delivery is due; null if none waits. */
  findDueAt(): number | null;
  countWaiting(): number;
  recordAttempt(deliveryId: string, attempt: Attempt): void;
  /** Changes a delivery that was read as `was`. A resend that came since stays. */
  update(
    was: DeliveryRow,
    change: { tries: number; triedSince: number; dueAt: number | null; status: DeliveryStatus },
  ): void;
  /** Ends what waits. It can be recovered. */
  dropWaiting(): void;
  list(filter: DeliveryFilter): { deliveries: ListedDelivery[]; total: number };
  read(id: string): Delivery | null;
  /** Makes a delivery wait for its first attempt again. False for an id that is not there. */
  resend(id: string): boolean;
  /** Makes what failed or was dropped wait again. Returns how many. */
  recover(range: { since: number; until: number }): number;
  isEmpty(): boolean;
  /** Deletes what is too old for the log, and what is too much. What waits stays. */
  deleteOld(now: number): void;
}

/** Opens the storage of a webhook. */
export function createDeliveryStore(db: DrizzleSqliteDODatabase): DeliveryStore {
  const isWaiting = eq(deliveries.status, "waiting");

  const again = (which: SQL | undefined): number =>
    db
      .update(deliveries)
      .set({ status: "waiting", tries: 0, triedSince: null, dueAt: Date.now() })
      .where(which)
      .returning({ id: deliveries.id })
      .all().length;

  function toListed({ id, type, status, createdAt, dueAt }: DeliveryRow): ListedDelivery {
    const ofIt = eq(attempts.deliveryId, id);
    const tried = db.select({ rows: count() }).from(attempts).where(ofIt).get()?.rows ?? 0;
    const last = db.select().from(attempts).where(ofIt).orderBy(desc(attempts.at)).limit(1).get();
    return { id, type, status, createdAt, attempts: tried, answerStatus: last?.status ?? null, nextAttemptAt: dueAt };
  }

  return {
    add: (delivery) => void db.insert(deliveries).values(delivery).onConflictDoNothing().run(),
    nextDue(atWork, now) {
      const isDue = and(lte(deliveries.dueAt, now), notInArray(deliveries.id, [...atWork]));
      const first = (which: SQL | undefined) =>
        db
          .select()
          .from(deliveries)
          .where(which)
          .orderBy(asc(deliveries.dueAt), asc(deliveries.createdAt), asc(deliveries.id))
          .limit(1)
          .get();
      return first(and(isDue, eq(deliveries.tries, 0))) ?? first(isDue);
    },
    findDueAt: () =>
      db
        .select({ at: min(deliveries.dueAt) })
        .from(deliveries)
        .where(isNotNull(deliveries.dueAt))
        .get()?.at ?? null,
    countWaiting: () => db.select({ rows: count() }).from(deliveries).where(isWaiting).get()?.rows ?? 0,
    recordAttempt(deliveryId, { at, milliseconds, status, error, answer }) {
      const row = { deliveryId, at, milliseconds, status, error, answer };
      db.insert(attempts).values(row).onConflictDoNothing().run();
    },
    update({ id, tries, dueAt }, change) {
      const isUnchanged = and(eq(deliveries.id, id), eq(deliveries.tries, tries), eq(deliveries.dueAt, dueAt ?? 0));
      db.update(deliveries).set(change).where(isUnchanged).run();
    },
    dropWaiting: () => void db.update(deliveries).set({ status: "dropped", dueAt: null }).where(isWaiting).run(),
    list({ status, type, page, pageSize }) {
      const wanted = and(
        status === undefined ? undefined : eq(deliveries.status, status),
        type === undefined ? undefined : eq(deliveries.type, type as DeliveryRow["type"]),
      );
      const rows = db
        .select()
        .from(deliveries)
        .where(wanted)
        .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .all();
      const total = db.select({ rows: count() }).from(deliveries).where(wanted).get()?.rows ?? 0;
      return { deliveries: rows.map(toListed), total };
    },
    read(id) {
      const row = db.select().from(deliveries).where(eq(deliveries.id, id)).get();
      if (!row) return null;
      const tried = db.select().from(attempts).where(eq(attempts.deliveryId, id)).orderBy(asc(attempts.at)).all();
      return { ...toListed(row), body: row.body, tried: tried.map(({ deliveryId: _, ...attempt }) => attempt) };
    },
    resend: (id) => again(eq(deliveries.id, id)) > 0,
    recover({ since, until }) {
      const lost = db
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(
          and(
            inArray(deliveries.status, ["failed", "dropped"]),
            ne(deliveries.type, "webhook.test"),
            gte(deliveries.createdAt, since),
            lte(deliveries.createdAt, until),
          ),
        )
        .orderBy(asc(deliveries.createdAt), asc(deliveries.id))
        .limit(webhookRecoverMax);
      return again(inArray(deliveries.id, lost));
    },
    isEmpty: () => db.select({ id: deliveries.id }).from(deliveries).limit(1).get() === undefined,
    deleteOld(now) {
      const newest = db
        .select({ id: deliveries.id })
        .from(deliveries)
        .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
        .limit(webhookLogRows);
      const isOver = ne(deliveries.status, "waiting");
      db.delete(deliveries)
        .where(and(isOver, lte(deliveries.createdAt, now - webhookLogMs)))
        .run();
      db.delete(deliveries)
        .where(and(isOver, notInArray(deliveries.id, newest)))
        .run();
      const known = db.select({ id: deliveries.id }).from(deliveries);
      db.delete(attempts).where(notInArray(attempts.deliveryId, known)).run();
    },
  };
}
