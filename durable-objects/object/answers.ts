// Answers of an object that may be asked for again: what a request under an Idempotency-Key came to the first time. Only what was
// accepted is kept: a refusal changed nothing, so that its request may be tried again.
import { and, eq, gt, lte } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { checkRepeat, type Idempotency, oldestRepeatable } from "../../src/rules/idempotency.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import { answers } from "./tables/answers.ts";

export interface Answers {
  /** The first answer, when this is a repeat; a refusal, when the key came with another body. */
  find<Answer>(repeat: Idempotency, now: number): { answer: Answer } | Refusal | null;
  keep(first: Idempotency, answer: unknown, now: number): void;
  /** Forgets those that nobody can ask for any more. */
  sweep(now: number): void;
}

/** Opens the kept answers of an object. */
export function openAnswers(db: DrizzleSqliteDODatabase): Answers {
  const store: Answers = {
    find<Answer>(repeat: Idempotency, now: number) {
      const isSame = and(eq(answers.key, repeat.key), gt(answers.answeredAt, oldestRepeatable(now)));
      const kept = db.select().from(answers).where(isSame).get();
      // A key names one route, which keeps answers of one kind.
      return kept ? (checkRepeat(kept, repeat) ?? (kept.answer as { answer: Answer })) : null;
    },
    keep({ key, bodyHash }, answer, now) {
      store.sweep(now);
      // Enclosed, because an answer may be null and a column of JSON would not tell that from none.
      db.insert(answers).values({ key, bodyHash, answer: { answer }, answeredAt: now }).run();
    },
    sweep(now) {
      db.delete(answers)
        .where(lte(answers.answeredAt, oldestRepeatable(now)))
        .run();
    },
  };
  return store;
}
