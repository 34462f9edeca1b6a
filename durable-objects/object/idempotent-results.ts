// Stores the results of requests with an Idempotency-Key, so that a repeat gets the first result.
// Refusals are not stored: they changed nothing, so the request may be tried again.
import { and, eq, gt, lte } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { checkRepeat, getOldestRepeatable, type Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { createKeyedLock } from "./keyed-lock.ts";
import { idempotentResults } from "./tables/idempotent-results.ts";

export interface IdempotentResults {
  /**
   * The first result if this is a repeat; a refusal if the key was used with another body; null for
   * a new key.
   */
  find<Result>(repeat: Idempotency, now: number): { result: Result } | Refusal | null;
  save(first: Idempotency, result: unknown, now: number): void;
  /** Deletes expired results. */
  sweep(now: number): void;
}

/** Creates the stored results of an object. */
export function createIdempotentResults(db: DrizzleSqliteDODatabase): IdempotentResults {
  const store: IdempotentResults = {
    find<Result>(repeat: Idempotency, now: number) {
      const isSame = and(eq(idempotentResults.key, repeat.key), gt(idempotentResults.keptAt, getOldestRepeatable(now)));
      const saved = db.select().from(idempotentResults).where(isSame).get();
      // A key includes its route, and each route stores results of one type.
      return saved ? (checkRepeat(saved, repeat) ?? { result: (saved.result as { answer: Result }).answer }) : null;
    },
    save({ key, bodyHash }, result, now) {
      store.sweep(now);
      // Wrapped, because a result may be null, which a JSON column cannot distinguish from no
      // value.
      db.insert(idempotentResults)
        .values({ key, bodyHash, result: { answer: result }, keptAt: now })
        .run();
    },
    sweep(now) {
      db.delete(idempotentResults)
        .where(lte(idempotentResults.keptAt, getOldestRepeatable(now)))
        .run();
    },
  };
  return store;
}

/** What happens once for all requests under one Idempotency-Key. */
export interface Once {
  /** Decides, and saves the result. A repeat gets the first result. */
  decide<Result>(repeat: Idempotency | null, decide: () => Result | Refusal): Result | Refusal;
  /**
   * Runs work whose result is saved by `decide`. A repeat waits for the first request and gets its
   * result.
   */
  run<Result>(repeat: Idempotency | null, work: () => Promise<Result | Refusal>): Promise<Result | Refusal>;
}

/** Creates what gives repeats the first result. */
export function createOnce(results: IdempotentResults): Once {
  const withLock = createKeyedLock();
  function firstOr<Result, Other>(repeat: Idempotency, other: () => Other): Result | Refusal | Other {
    const first = results.find<Result>(repeat, Date.now());
    if (first === null) return other();
    return isRefusal(first) ? first : first.result;
  }
  return {
    decide(repeat, decide) {
      if (repeat === null) return decide();
      return firstOr(repeat, () => {
        const result = decide();
        // No `await` has run since the decision, so both are stored or neither.
        if (!isRefusal(result)) results.save(repeat, result, Date.now());
        return result;
      });
    },
    async run(repeat, work) {
      return repeat === null ? await work() : await withLock(repeat.key, async () => await firstOr(repeat, work));
    },
  };
}
