// The review comments of a session: how they are stored, and which of them are sent with a message.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { expect, test } from "vitest";
import { createReviewComments, type ReviewComments } from "../../../durable-objects/session/store.ts";
import type { ReviewComment } from "../../../src/checkout/rules/review-comment.ts";

const comment = (id: string, changes: Partial<ReviewComment> = {}): ReviewComment => ({
  id,
  filePath: "src/board.js",
  side: "new",
  startLineNumber: 1,
  endLineNumber: 2,
  body: `About ${id}.`,
  lineSnapshot: "a\nb",
  resolved: false,
  outdated: false,
  author: { kind: "session", sessionId: "session-2" },
  createdAt: 5,
  updatedAt: 5,
  ...changes,
});

/** Works with the comments of a new session. */
async function withComments(work: (comments: ReviewComments) => void): Promise<void> {
  await runInDurableObject(env.SESSION.getByName(crypto.randomUUID()), (_, { storage }) =>
    work(createReviewComments(drizzle(storage, { casing: "snake_case" }))),
  );
}

test("comments are stored unchanged, oldest first", async () => {
  await withComments((comments) => {
    for (const one of [
      comment("b"),
      comment("a"),
      comment("late", { createdAt: 9 }),
      comment("early", { createdAt: 1 }),
    ])
      comments.save(one);
    expect(comments.list().map(({ id }) => id)).toEqual(["early", "a", "b", "late"]);
    expect(comments.count()).toBe(4);
    expect(comments.find("a")).toEqual(comment("a"));
    expect(comments.find("nothing")).toBeNull();
  });
});

test("a changed comment keeps its position, a deleted one is gone", async () => {
  await withComments((comments) => {
    for (const id of ["a", "b", "c"]) comments.save(comment(id));
    comments.save(comment("b", { body: "Better.", resolved: true, updatedAt: 7 }));
    comments.remove("c");
    comments.remove("nothing");
    expect(comments.list()).toEqual([comment("a"), comment("b", { body: "Better.", resolved: true, updatedAt: 7 })]);
  });
});

test("a message includes the comments it names that exist and are not resolved, in its order", async () => {
  await withComments((comments) => {
    for (const id of ["a", "b", "c"]) comments.save(comment(id, { resolved: id === "b" }));
    expect(comments.unresolved(["c", "nothing", "b", "a"])).toEqual([comment("c"), comment("a")]);
    expect(comments.unresolved([])).toEqual([]);
  });
});
