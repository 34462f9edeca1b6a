// Stores the results of requests with an Idempotency-Key, so that a repeat gets the first result.
// Refusals are not stored: they changed nothing, so the request may be tried again.
import { and, eq, gt, lte } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { checkRepeat, getOldestRepeatable, type Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { createKeyedLock } from "./keyed-lock.ts";
import { answers } from "./tables/answers.ts";

export interface IdempotentResults {
  /**
   * The first result if this is a repeat; a refusal if the key was used with another body; null for
   * a new key.
   */
  find<Answer>(repeat: Idempotency, now: number): { answer: Answer } | Refusal | null;
  keep(first: Idempotency, answer: unknown, now: number): void;
  /** Deletes expired results. */
  sweep(now: number): void;
}

/** Creates the stored results of an object. */
export function createIdempotentResults(db: DrizzleSqliteDODatabase): IdempotentResults {
  const store: IdempotentResults = {
    find<Answer>(repeat: Idempotency, now: number) {
      const isSame = and(eq(answers.key, repeat.key), gt(answers.answeredAt, getOldestRepeatable(now)));
      const kept = db.select().from(answers).where(isSame).get();
      // A key includes its route, and each route stores results of one type.
      return kept ? (checkRepeat(kept, repeat) ?? (kept.answer as { answer: Answer })) : null;
    },
    keep({ key, bodyHash }, answer, now) {
      store.sweep(now);
      // Wrapped, because a result may be null, which a JSON column cannot distinguish from no
      // value.
      db.insert(answers).values({ key, bodyHash, answer: { answer }, answeredAt: now }).run();
    },
    sweep(now) {
      db.delete(answers)
        .where(lte(answers.answeredAt, getOldestRepeatable(now)))
        .run();
    },
  };
  return store;
}

/** What happens once for all requests under one Idempotency-Key. */
export interface Once {
  /** Decides, and keeps the result. A repeat gets the first result. */
  decide<Result>(repeat: Idempotency | null, decide: () => Result | Refusal): Result | Refusal;
  /**
   * Runs work whose result is kept by `decide`. A repeat waits for the first request and gets its
   * result.
   */
  run<Result>(repeat: Idempotency | null, work: () => Promise<Result | Refusal>): Promise<Result | Refusal>;
}

/** Creates what an object needs to answer repeats. */
export function createOnce(results: IdempotentResults): Once {
  const withLock = createKeyedLock();
  function firstOr<Result, Other>(repeat: Idempotency, other: () => Other): Result | Refusal | Other {
    const first = results.find<Result>(repeat, Date.now());
    if (first === null) return other();
    return isRefusal(first) ? first : first.answer;
  }
  return {
    decide(repeat, decide) {
      if (repeat === null) return decide();
      return firstOr(repeat, () => {
        const result = decide();
        // No `await` has run since the decision, so both are stored or neither.
        if (!isRefusal(result)) results.keep(repeat, result, Date.now());
        return result;
      });
    },
    async run(repeat, work) {
      return repeat === null ? await work() : await withLock(repeat.key, async () => await firstOr(repeat, work));
    },
  };
}
