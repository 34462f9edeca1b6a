// The outbox of an object: the effects that its decisions asked for and that are not done yet. An
// effect is stored with the state that asked for it. Of several under one key only the newest is
// stored.
import { and, asc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { findRequestId } from "../../src/lib/log.ts";
import { getEffectKey } from "../../src/rules/effect.ts";
import { triesBeforeParking } from "../../src/rules/limits.ts";
import { countAttempt } from "../../src/rules/parking.ts";
import { effects } from "./tables/outbox.ts";

/** An effect is performed again after this time, in case the object stopped before it was done. */
const leaseMs = 10_000;

export interface StoredEffect {
  key: string;
  effect: unknown;
  /** Distinguishes an effect from a newer one under the same key. */
  ticket: number;
  attempts: number;
  /** The request that caused it; null if none did. */
  requestId: string | null;
}

export interface Outbox {
  /** Stores an effect in the current transaction. */
  add(effect: { type: string }, now: number): StoredEffect;
  find(key: string): StoredEffect | null;
  /** The keys of all effects. */
  keys(): string[];
  /** The keys of the parked effects. */
  parkedKeys(): string[];
  /** Makes the parked effects due, as if they had never failed, and returns their keys. */
  unpark(now: number): string[];
  /** The keys of at most `atMost` due effects, the longest due first. Renews their leases. */
  claimDue(now: number, atMost: number): string[];
  /**
   * Makes an effect due now, by its key. With a ticket, does so only if no newer effect has
   * replaced it.
   */
  setDue(effect: { key: string; ticket?: number }): void;
  /** Deletes all effects, done or not. */
  clear(): void;
  /** Deletes effects that are done. A newer effect under the same key stays. */
  remove(done: readonly StoredEffect[]): void;
  /** Schedules the next try of an effect that failed or waits. Returns how often it was tried. */
  postpone(stored: StoredEffect, now: number, isWaiting: boolean): number;
}

/** Creates the outbox of an object. */
export function createOutbox(db: DrizzleSqliteDODatabase): Outbox {
  const isParked = gte(effects.attempts, triesBeforeParking);
  const keysWhere = (condition: SQL | undefined) =>
    db
      .select({ key: effects.key })
      .from(effects)
      .where(condition)
      .all()
      .map(({ key }) => key);
  const same = ({ key, ticket }: StoredEffect) => and(eq(effects.key, key), eq(effects.ticket, ticket));
  // Every decision uses these two. To build their SQL takes longer than to run it.
  const adding = db
    .insert(effects)
    .values({
      ...{ key: sql.placeholder("key"), effect: sql.placeholder("effect"), attempts: 0 },
      ...{ dueAt: sql.placeholder("dueAt"), requestId: sql.placeholder("requestId") },
      ticket: sql`(SELECT coalesce(max(ticket), 0) + 1 FROM ${effects})`,
    })
    .onConflictDoUpdate({
      target: effects.key,
      set: {
        ...{ effect: sql`excluded.effect`, ticket: sql`excluded.ticket`, attempts: 0 },
        ...{ dueAt: sql`excluded.due_at`, requestId: sql`excluded.request_id` },
      },
    })
    .returning()
    .prepare();
  const finding = db
    .select()
    .from(effects)
    .where(eq(effects.key, sql.placeholder("key")))
    .prepare();
  return {
    add: (effect, now) =>
      adding.get({ key: getEffectKey(effect), effect, dueAt: now + leaseMs, requestId: findRequestId() }),
    find: (key) => finding.get({ key }) ?? null,
    keys: () => keysWhere(undefined),
    parkedKeys: () => keysWhere(isParked),
    unpark(now) {
      const again = { attempts: 0, dueAt: now };
      const due = db.update(effects).set(again).where(isParked).returning({ key: effects.key }).all();
      return due.map(({ key }) => key);
    },
    claimDue(now, atMost) {
      if (atMost <= 0) return [];
      const leased = { dueAt: now + leaseMs };
      const due = db.select({ key: effects.key }).from(effects).where(lte(effects.dueAt, now));
      const keys = due.orderBy(asc(effects.dueAt), asc(effects.ticket)).limit(atMost).all();
      for (const { key } of keys) db.update(effects).set(leased).where(eq(effects.key, key)).run();
      return keys.map(({ key }) => key);
    },
    setDue({ key, ticket }) {
      const which = and(eq(effects.key, key), ticket === undefined ? undefined : eq(effects.ticket, ticket));
      db.update(effects).set({ dueAt: Date.now() }).where(which).run();
    },
    remove(done) {
      for (const stored of done) db.delete(effects).where(same(stored)).run();
    },
    clear: () => void db.delete(effects).run(),
    postpone(stored, now, isWaiting) {
      const { attempts, pauseMs } = countAttempt(stored.attempts, isWaiting);
      db.update(effects)
        .set({ attempts, dueAt: now + pauseMs })
        .where(same(stored))
        .run();
      return attempts;
    },
  };
}
