// The storage of a session's review comments.
import { asc, count, eq } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ReviewComment } from "../../src/session/rules/review-comment.ts";
import { reviewComments } from "./tables-review-comments.ts";

export interface ReviewComments {
  /** Oldest first. */
  list(): ReviewComment[];
  count(): number;
  find(id: string): ReviewComment | null;
  /** Stores a comment, new or changed. */
  save(comment: ReviewComment): void;
  remove(id: string): void;
  /** The unresolved comments among these ids, in the order of the ids. */
  unresolved(ids: readonly string[]): ReviewComment[];
}

export function openReviewComments(db: DrizzleSqliteDODatabase): ReviewComments {
  const find = (id: string) => db.select().from(reviewComments).where(eq(reviewComments.id, id)).get() ?? null;
  return {
    list: () => db.select().from(reviewComments).orderBy(asc(reviewComments.createdAt), asc(reviewComments.id)).all(),
    count: () => db.select({ all: count() }).from(reviewComments).get()?.all ?? 0,
    find,
    save(comment) {
      db.insert(reviewComments).values(comment).onConflictDoUpdate({ target: reviewComments.id, set: comment }).run();
    },
    remove: (id) => void db.delete(reviewComments).where(eq(reviewComments.id, id)).run(),
    unresolved(ids) {
      return ids.flatMap((id) => {
        const comment = find(id);
        return comment && !comment.resolved ? [comment] : [];
      });
    },
  };
}
