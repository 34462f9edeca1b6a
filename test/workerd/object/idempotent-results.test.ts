// Repeats under an Idempotency-Key: an object's earlier result, and the session of a repeated
// create.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { describe, expect, test } from "vitest";
import { createIdempotentResults, type IdempotentResults } from "../../../durable-objects/object/idempotent-results.ts";
import { claimId, claimIdBeforeBody, sweepCreates } from "../../../src/storage/idempotent-create.ts";
import { beginSession, by } from "../support/session-driver.ts";

const day = 24 * 60 * 60_000;
const repeat = { key: "key", bodyHash: "body" };

/** Gives a test the stored results of an object of its own. */
function withResults(look: (results: IdempotentResults, rows: () => number) => void): Promise<void> {
  return runInDurableObject(env.SESSION.getByName(crypto.randomUUID()), (_, { storage }) => {
    const rows = () => storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM answers").one().count;
    look(createIdempotentResults(drizzle(storage, { casing: "snake_case" })), rows);
  });
}

describe("the stored results of an object", () => {
  test("have none for a first request, and the first result for a repeat", async () => {
    await withResults((results) => {
      expect(results.find(repeat, 0)).toBeNull();
      results.save(repeat, { delivery: "job", turnId: "t" }, 0);
      expect(results.find(repeat, day - 1)).toEqual({ result: { delivery: "job", turnId: "t" } });
    });
  });

  test("can be empty", async () => {
    await withResults((results) => {
      results.save(repeat, null, 0);
      expect(results.find(repeat, 1)).toEqual({ result: null });
    });
  });

  test("the same key with another body is refused", async () => {
    await withResults((results) => {
      results.save(repeat, "first", 0);
      expect(results.find({ ...repeat, bodyHash: "other" }, 1)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
      expect(results.find({ ...repeat, key: "other" }, 1)).toBeNull();
    });
  });

  test("after 24 hours the key can be used again with any body, and the stored result is deleted", async () => {
    await withResults((results, rows) => {
      results.save(repeat, "first", 0);
      const later = { ...repeat, bodyHash: "other" };
      expect(results.find(later, day)).toBeNull();
      results.save(later, "second", day);
      expect(results.find(later, day + 1)).toEqual({ result: "second" });
      expect(rows()).toBe(1);
    });
  });
});

test("a repeated create after the session's deletion gets its result for a day, and then nothing is left of it", async () => {
  const driver = await beginSession(repeat);
  expect(await driver.session().delete(by)).toBeNull();
  await driver.settled();
  expect(await driver.session().create(driver.record, { by, first: null }, repeat)).toEqual(driver.opened);
  expect(await driver.session().read()).toMatchObject({ code: "NOT_FOUND" });
  await driver.sql("UPDATE answers SET answered_at = answered_at - ?", day);
  await driver.sql("UPDATE reminders SET at = 1");
  await runDurableObjectAlarm(driver.session());
  expect(await driver.sql("SELECT key FROM answers")).toEqual([]);
  expect(await driver.sql("SELECT name FROM reminders")).toEqual([]);
});

describe("the session of a create", () => {
  const claim = (id: string, changes: Partial<typeof repeat> & { now?: number } = {}) =>
    claimId(env.DB, { ...repeat, now: 0, ...changes, id });

  test("is chosen by one of many concurrent requests, and all get it", async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, place) => claim(`session-${place}`, { key: "many" })),
    );
    expect(new Set(claims.map((claimed) => JSON.stringify(claimed))).size).toBe(1);
    expect(JSON.stringify(claims[0])).toContain('"id":"session-');
  });

  test("the same key with another body is refused, and changes nothing", async () => {
    expect(await claim("first", { key: "other-body" })).toMatchObject({ id: "first" });
    expect(await claim("second", { key: "other-body", bodyHash: "other" })).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    expect(await claim("third", { key: "other-body", now: day - 1 })).toMatchObject({ id: "first" });
  });

  test("is reserved before the body is known, and the first body sets what a repeat has", async () => {
    const id = await claimIdBeforeBody(env.DB, "reserved", 0);
    expect(await claimIdBeforeBody(env.DB, "reserved", 1)).toBe(id);
    expect(await claim("first", { key: "reserved" })).toMatchObject({ id });
    expect(await claimIdBeforeBody(env.DB, "reserved", 2)).toBe(id);
    expect(await claim("second", { key: "reserved", bodyHash: "other" })).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    expect(await claimIdBeforeBody(env.DB, null, 3)).not.toBe(id);
  });

  test("is deleted by the sweep after 24 hours, and not before", async () => {
    await env.DB.exec("DELETE FROM session_creates");
    await claim("old", { key: "swept" });
    await claim("new", { key: "kept", now: 1 });
    await sweepCreates(env.DB, day, 10);
    const { results } = await env.DB.prepare("SELECT session_id AS id FROM session_creates").all();
    expect(results).toEqual([{ id: "new" }]);
  });

  test("after 24 hours the key is free again, for any body", async () => {
    expect(await claim("first", { key: "old" })).toMatchObject({ id: "first" });
    expect(await claim("second", { key: "old", bodyHash: "other", now: day })).toMatchObject({ id: "second" });
    expect(await claim("third", { key: "old", bodyHash: "other", now: day + 1 })).toMatchObject({ id: "second" });
  });
});
