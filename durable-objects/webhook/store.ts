// The storage of a webhook: its deliveries and their attempts. What runs for every delivery is a
// statement of text, which SQLite keeps prepared, and takes many deliveries together: a delivery
// costs mainly its statements.
import { and, asc, count, desc, eq, gte, inArray, isNotNull, lte, ne, notInArray, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { webhookLogMs, webhookLogRows, webhookRecoverMax } from "../../src/rules/limits.ts";
import type { Attempt } from "../../src/webhook/rules/attempts.ts";
import type { DeliveryStatus } from "../../src/webhook/rules/status.ts";
import type { Delivery, DeliveryFilter, ListedDelivery, LoggedAttempt } from "./rpc.ts";
import { attempts, deliveries } from "./tables.ts";

type StoredDelivery = typeof deliveries.$inferSelect;
/** The type of a row that `SqlStorage` reads, which an interface does not fit. */
type SqlRow<Row> = { [Field in keyof Row]: Row[Field] & SqlStorageValue };
/** `lastAt` is null if there is no attempt to move to the log when the next one has ended. */
export type DeliveryRow = Pick<StoredDelivery, "id" | "body" | "tries" | "triedSince" | "dueAt" | "lastAt">;
export type NewDelivery = Pick<StoredDelivery, "id" | "type" | "body">;

/** What an attempt of a delivery, which was read as `was`, changes. */
export interface Outcome {
  was: DeliveryRow;
  attempt: Attempt;
  change: { tries: number; triedSince: number; dueAt: number | null; status: DeliveryStatus };
}

export interface DeliveryStore {
  /**
   * Adds the deliveries whose ids are not known, and returns these, in their order. Without
   * `dueAt` they are dropped.
   */
  add(added: readonly NewDelivery[], given: { createdAt: number; dueAt: number | null }): DeliveryRow[];
  /** Adds a delivery that is tried only once, with its attempt. */
  addTried(added: NewDelivery, given: { createdAt: number; status: DeliveryStatus; attempt: Attempt }): void;
  /**
   * The deliveries to try next, besides those at work, in their order. New deliveries come before
   * failed ones.
   */
  listDue(atWork: readonly string[], now: number, atMost: number): DeliveryRow[];
  /** When the next delivery is due; null if none waits. */
  findDueAt(): number | null;
  countWaiting(): number;
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
const insertDeliveries = `INSERT INTO deliveries (id, type, body, created_at, due_at, status, tries)
  SELECT value ->> 0, value ->> 1, value ->> 2, ?2, ?3, ?4, 0 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING RETURNING id`;
/** The index of due times has the deliveries of one time in the order in which they were added. */
const selectDue = (
  tries: string,
) => `SELECT id, body, tries, tried_since AS triedSince, due_at AS dueAt, last_at AS lastAt
  FROM deliveries WHERE due_at <= ? AND ${tries} AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, rowid LIMIT ?`;
const [selectNew, selectFailed] = [selectDue("tries = 0"), selectDue("tries > 0")];
/** Most deliveries have one attempt, whose columns are in their row, so that it is one row. */
const moveAttempts = `INSERT INTO attempts (delivery_id, at, milliseconds, status, error, answer)
  SELECT id, last_at, last_milliseconds, last_status, last_error, last_answer
  FROM deliveries WHERE id IN (SELECT value FROM json_each(?)) AND last_at IS NOT NULL ON CONFLICT DO NOTHING`;
const setLast = `UPDATE deliveries SET last_at = o.value ->> 1, last_milliseconds = o.value ->> 2, last_status = o.value ->> 3,
  last_error = o.value ->> 4, last_answer = o.value ->> 5`;
const ofOutcomes = "FROM json_each(?) o WHERE deliveries.id = o.value ->> 0";
const updateAttempts = `${setLast} ${ofOutcomes}`;
const updateDeliveries = `${setLast}, status = o.value ->> 6, tries = o.value ->> 7, tried_since = o.value ->> 8, due_at = o.value ->> 9
  ${ofOutcomes} AND tries = o.value ->> 10 AND due_at = o.value ->> 11 RETURNING 1`;
const selectFirstDue = "SELECT min(due_at) AS at FROM deliveries WHERE due_at IS NOT NULL";

/** Creates the storage of a webhook. */
export function createDeliveryStore(storage: SqlStorage, db: DrizzleSqliteDODatabase): DeliveryStore {
  const isWaiting = isNotNull(deliveries.dueAt);
  const row = sql`${deliveries}.rowid`;

  const again = (which: SQL | undefined): number =>
    db
      .update(deliveries)
      .set({ status: "waiting", tries: 0, triedSince: null, dueAt: Date.now() })
      .where(which)
      .returning({ id: deliveries.id })
      .all().length;

  function toListed({ id, type, status, createdAt, dueAt }: StoredDelivery, tried: LoggedAttempt[]): ListedDelivery {
    const answerStatus = tried.at(-1)?.status ?? null;
    return { id, type, status, createdAt, attempts: tried.length, answerStatus, nextAttemptAt: dueAt };
  }

  /** The attempts of a delivery, in their order. */
  function listAttempts({ id, ...delivery }: StoredDelivery): LoggedAttempt[] {
    const {
      lastAt: at,
      lastMilliseconds: milliseconds,
      lastStatus: status,
      lastError: error,
      lastAnswer: answer,
    } = delivery;
    const earlier = db.select().from(attempts).where(eq(attempts.deliveryId, id)).orderBy(asc(attempts.at)).all();
    const tried = earlier.map(({ deliveryId: _, ...attempt }) => attempt);
    return at === null ? tried : [...tried, { at, milliseconds: milliseconds ?? 0, status, error, answer }];
  }

  return {
    add(added, { createdAt, dueAt }) {
      const ids = new Set<string>();
      const status: DeliveryStatus = dueAt === null ? "dropped" : "waiting";
      for (let at = 0; at < added.length; at += addedPerStatement) {
        const rows = added.slice(at, at + addedPerStatement).map(({ id, type, body }) => [id, type, body]);
        const inserted = storage.exec<{ id: string }>(insertDeliveries, JSON.stringify(rows), createdAt, dueAt, status);
        for (const { id } of inserted) ids.add(id);
      }
      const isNew = ({ id }: NewDelivery) => ids.delete(id);
      return added.filter(isNew).map(({ id, body }) => ({ id, body, tries: 0, triedSince: null, dueAt, lastAt: null }));
    },
    addTried(added, { createdAt, status, attempt }) {
      const { at, milliseconds, status: lastStatus, error: lastError, answer: lastAnswer } = attempt;
      const tried = {
        tries: 1,
        triedSince: at,
        lastAt: at,
        lastMilliseconds: milliseconds,
        lastStatus,
        lastError,
        lastAnswer,
      };
      db.insert(deliveries)
        .values({ ...added, createdAt, status, ...tried })
        .onConflictDoNothing()
        .run();
    },
    listDue(atWork, now, atMost) {
      const besides = JSON.stringify(atWork);
      const list = (query: string, most: number) =>
        most > 0 ? storage.exec<SqlRow<DeliveryRow>>(query, now, besides, most).toArray() : [];
      const unsent = list(selectNew, atMost);
      return [...unsent, ...list(selectFailed, atMost - unsent.length)];
    },
    findDueAt: () => storage.exec<{ at: number | null }>(selectFirstDue).one().at,
    countWaiting: () => db.select({ rows: count() }).from(deliveries).where(isWaiting).get()?.rows ?? 0,
    recordOutcomes(outcomes) {
      const tried = outcomes.filter(({ was }) => was.lastAt !== null);
      if (tried.length > 0) storage.exec(moveAttempts, JSON.stringify(tried.map(({ was }) => was.id)));
      const rows = outcomes.map(({ was, attempt, change }) => [
        ...[was.id, attempt.at, attempt.milliseconds, attempt.status, attempt.error, attempt.answer],
        ...[change.status, change.tries, change.triedSince, change.dueAt, was.tries, was.dueAt],
      ]);
      const made = JSON.stringify(rows);
      // Of a delivery that was sent again or dropped since it was read, only the attempt is stored.
      if (storage.exec(updateDeliveries, made).toArray().length < rows.length) storage.exec(updateAttempts, made);
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
        .orderBy(desc(row))
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .all();
      const total = db.select({ rows: count() }).from(deliveries).where(wanted).get()?.rows ?? 0;
      return { deliveries: rows.map((found) => toListed(found, listAttempts(found))), total };
    },
    read(id) {
      const found = db.select().from(deliveries).where(eq(deliveries.id, id)).get();
      if (!found) return null;
      const tried = listAttempts(found);
      return { ...toListed(found, tried), body: found.body, tried };
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
        .orderBy(asc(row))
        .limit(webhookRecoverMax);
      return again(inArray(deliveries.id, lost));
    },
    isEmpty: () => db.select({ id: deliveries.id }).from(deliveries).limit(1).get() === undefined,
    deleteOld(now) {
      const newest = db.select({ id: deliveries.id }).from(deliveries).orderBy(desc(row)).limit(webhookLogRows);
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
