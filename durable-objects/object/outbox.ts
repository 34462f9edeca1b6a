// The outbox of an object: the effects that its decisions asked for and that are still to be performed. An effect is kept with the state
// that asked for it; under one key the newest stands.
import { and, eq, lte, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { effectKey } from "../../src/rules/effect.ts";
import { effects } from "./tables/outbox.ts";

/** An effect whose object died is taken up again after this. */
const leaseMs = 10_000;
const longestRetryMs = 60_000;

export interface Kept {
  key: string;
  effect: unknown;
  /** Tells an effect from a newer one under the same key. */
  ticket: number;
  attempts: number;
}

export interface Outbox {
  /** Keeps an effect, in the transaction that asks for it, and answers its key. */
  keep(effect: { type: string }, now: number): string;
  find(key: string): Kept | null;
  keys(): string[];
  /** The effects whose time has come, which are leased anew. */
  takeDue(now: number): string[];
  /** It is done; a newer one under its key stays. */
  done(kept: Kept): void;
  /** It failed, and is tried again later. */
  postpone(kept: Kept, now: number): void;
}

/** Opens the outbox of an object. */
export function openOutbox(db: DrizzleSqliteDODatabase): Outbox {
  const same = ({ key, ticket }: Kept) => and(eq(effects.key, key), eq(effects.ticket, ticket));
  return {
    keep(effect, now) {
      const key = effectKey(effect);
      const ticket = sql<number>`(SELECT coalesce(max(ticket), 0) + 1 FROM ${effects})`;
      const row = { effect, ticket, attempts: 0, dueAt: now + leaseMs };
      db.insert(effects)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: effects.key, set: row })
        .run();
      return key;
    },
    find: (key) => db.select().from(effects).where(eq(effects.key, key)).get() ?? null,
    keys: () =>
      db
        .select({ key: effects.key })
        .from(effects)
        .all()
        .map(({ key }) => key),
    takeDue(now) {
      const leased = { dueAt: now + leaseMs };
      const due = db.update(effects).set(leased).where(lte(effects.dueAt, now)).returning({ key: effects.key }).all();
      return due.map(({ key }) => key);
    },
    done: (kept) => void db.delete(effects).where(same(kept)).run(),
    postpone(kept, now) {
      const dueAt = now + Math.min(500 * 2 ** kept.attempts, longestRetryMs);
      db.update(effects)
        .set({ attempts: kept.attempts + 1, dueAt })
        .where(same(kept))
        .run();
    },
  };
}
