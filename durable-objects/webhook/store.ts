// The storage of a webhook: its deliveries and their attempts. What runs for every delivery is a
// statement of text, which SQLite keeps prepared, and takes many deliveries together: a delivery
// costs mainly its statements.
import { and, asc, count, desc, eq, gte, inArray, lte, ne, notInArray, type SQL } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { webhookLogMs, webhookLogRows, webhookRecoverMax } from "../../src/rules/limits.ts";
import type { Attempt } from "../../src/webhook/rules/attempts.ts";
import type { DeliveryStatus } from "../../src/webhook/rules/status.ts";
import type { Delivery, DeliveryFilter, ListedDelivery } from "./rpc.ts";
import { attempts, deliveries } from "./tables.ts";

type StoredDelivery = typeof deliveries.$inferSelect;
/** The type of a row that `SqlStorage` reads, which an interface does not fit. */
type SqlRow<Row> = { [Field in keyof Row]: Row[Field] & SqlStorageValue };
export type DeliveryRow = Pick<StoredDelivery, "id" | "body" | "tries" | "triedSince" | "dueAt">;

/** What an attempt of a delivery, which was read as `was`, changes. */
export interface Outcome {
  was: DeliveryRow;
  attempt: Attempt;
  change: { tries: number; triedSince: number; dueAt: number | null; status: DeliveryStatus };
}

export interface DeliveryStore {
  /** Adds the deliveries whose ids are not known, and returns these, in their order. */
  add(added: readonly StoredDelivery[]): StoredDelivery[];
  /**
   * The deliveries to try next, besides those at work, in their order. New deliveries come before
   * failed ones.
   */
  listDue(atWork: readonly string[], now: number, atMost: number): DeliveryRow[];
  /** When the next delivery is due; null if none waits. */
  findDueAt(): number | null;
  countWaiting(): number;
  recordAttempts(made: readonly { deliveryId: string; attempt: Attempt }[]): void;
  /** Stores attempts with what they change. A resend that came since a delivery was read stays. */
  recordOutcomes(outcomes: readonly Outcome[]): void;
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

/** A parameter has at most 2 MB, and the platform refuses a longer one. */
const addedPerStatement = 20;
const insertDeliveries = `INSERT INTO deliveries (id, type, body, status, created_at, tries, tried_since, due_at)
  SELECT value ->> 'id', value ->> 'type', value ->> 'body', value ->> 'status', value ->> 'createdAt', value ->> 'tries',
    value ->> 'triedSince', value ->> 'dueAt'
  FROM json_each(?) WHERE true ON CONFLICT DO NOTHING RETURNING id`;
/** The index of due times has the deliveries of one time in the order in which they were added. */
const selectDue = (tries: string) => `SELECT id, body, tries, tried_since AS triedSince, due_at AS dueAt FROM deliveries
  WHERE due_at <= ? AND ${tries} AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, rowid LIMIT ?`;
const [selectNew, selectFailed] = [selectDue("tries = 0"), selectDue("tries > 0")];
const insertAttempts = `INSERT INTO attempts (delivery_id, at, milliseconds, status, error, answer)
  SELECT value ->> 'deliveryId', value ->> 'at', value ->> 'milliseconds', value ->> 'status', value ->> 'error', value ->> 'answer'
  FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`;
const updateDeliveries = `UPDATE deliveries
  SET tries = o.value ->> 'tries', tried_since = o.value ->> 'triedSince', due_at = o.value ->> 'dueAt', status = o.value ->> 'status'
  FROM json_each(?) o
  WHERE deliveries.id = o.value ->> 'id' AND tries = o.value ->> 'wasTries' AND due_at = o.value ->> 'wasDueAt'`;
const selectFirstDue = "SELECT min(due_at) AS at FROM deliveries WHERE due_at IS NOT NULL";

/** Opens the storage of a webhook. */
export function createDeliveryStore(sql: SqlStorage, db: DrizzleSqliteDODatabase): DeliveryStore {
  const isWaiting = eq(deliveries.status, "waiting");

  const again = (which: SQL | undefined): number =>
    db
      .update(deliveries)
      .set({ status: "waiting", tries: 0, triedSince: null, dueAt: Date.now() })
      .where(which)
      .returning({ id: deliveries.id })
      .all().length;

  function recordAttempts(made: readonly { deliveryId: string; attempt: Attempt }[]): void {
    const rows = made.map(({ deliveryId, attempt: { retryAfterMs: _, ...attempt } }) => ({ deliveryId, ...attempt }));
    sql.exec(insertAttempts, JSON.stringify(rows));
  }

  function toListed({ id, type, status, createdAt, dueAt }: StoredDelivery): ListedDelivery {
    const ofIt = eq(attempts.deliveryId, id);
    const tried = db.select({ rows: count() }).from(attempts).where(ofIt).get()?.rows ?? 0;
    const last = db.select().from(attempts).where(ofIt).orderBy(desc(attempts.at)).limit(1).get();
    return { id, type, status, createdAt, attempts: tried, answerStatus: last?.status ?? null, nextAttemptAt: dueAt };
  }

  return {
    add(added) {
      const ids = new Set<string>();
      for (let at = 0; at < added.length; at += addedPerStatement) {
        const rows = JSON.stringify(added.slice(at, at + addedPerStatement));
        for (const { id } of sql.exec<{ id: string }>(insertDeliveries, rows)) ids.add(id);
      }
      return added.filter(({ id }) => ids.delete(id));
    },
    listDue(atWork, now, atMost) {
      const besides = JSON.stringify(atWork);
      const list = (query: string, most: number) =>
        most > 0 ? sql.exec<SqlRow<DeliveryRow>>(query, now, besides, most).toArray() : [];
      const unsent = list(selectNew, atMost);
      return [...unsent, ...list(selectFailed, atMost - unsent.length)];
    },
    findDueAt: () => sql.exec<{ at: number | null }>(selectFirstDue).one().at,
    countWaiting: () => db.select({ rows: count() }).from(deliveries).where(isWaiting).get()?.rows ?? 0,
    recordAttempts,
    recordOutcomes(outcomes) {
      recordAttempts(outcomes.map(({ was, attempt }) => ({ deliveryId: was.id, attempt })));
      const changes = outcomes.map(({ was, change }) => ({
        ...change,
        ...{ id: was.id, wasTries: was.tries, wasDueAt: was.dueAt },
      }));
      sql.exec(updateDeliveries, JSON.stringify(changes));
    },
    dropWaiting: () => void db.update(deliveries).set({ status: "dropped", dueAt: null }).where(isWaiting).run(),
    list({ status, type, page, pageSize }) {
      const wanted = and(
        status === undefined ? undefined : eq(deliveries.status, status),
        type === undefined ? undefined : eq(deliveries.type, type as StoredDelivery["type"]),
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
