// The shell: what every object relies on.

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { captureLog } from "../support/captured-log.ts";
import { fakeClock, minuteMs } from "../support/faked-clock.ts";

const open = () => env.LEDGER.getByName(crypto.randomUUID());
const note = (text: string, id = text) => ({ type: "note" as const, id, text });
const soon = () => Date.now() - 1;

afterEach(() => void vi.restoreAllMocks());

describe("a decision", () => {
  test("that is refused changes nothing", async () => {
    const ledger = open();
    await ledger.add(3);
    expect(await ledger.add(-1, [note("never")])).toMatchObject({ code: "BAD_REQUEST" });
    expect(await ledger.sum()).toBe(3);
    expect(await ledger.notes()).toEqual([]);
  });

  test("that throws stores neither state nor effects", async () => {
    const ledger = open();
    expect(await ledger.addAndBreak(3, [note("never")])).toBe("broken");
    await runDurableObjectAlarm(ledger);
    expect(await ledger.sum()).toBe(0);
    expect(await ledger.notes()).toEqual([]);
  });

  test("returns before its effects run, and they run once", async () => {
    const ledger = open();
    expect(await ledger.add(3, [note("one"), note("two")])).toBe(3);
    await Promise.all([ledger.settled("one"), ledger.settled("two")]);
    expect((await ledger.notes()).sort()).toEqual(["one", "two"]);
    await runDurableObjectAlarm(ledger);
    expect(await ledger.notes()).toHaveLength(2);
  });

  test("waits for the previous one: none of fifty concurrent ones is lost", async () => {
    const ledger = open();
    await Promise.all(Array.from({ length: 50 }, () => ledger.add(1)));
    expect(await ledger.sum()).toBe(50);
  });
});

describe("an effect", () => {
  test("of very many is performed with few others at a time, and each once", async () => {
    const ledger = open();
    const held = Array.from({ length: 120 }, (_, at) => ({ type: "note" as const, id: `${at}`, text: "held" }));
    await ledger.add(1, held);
    expect(await ledger.performed(held.map(({ id }) => id))).toHaveLength(50);
    await ledger.release();
    await expect.poll(async () => (await ledger.notes()).length).toBe(120);
  });

  test("that fails is retried by the alarm until it succeeds", async () => {
    const ledger = open();
    await ledger.failNext(2);
    await ledger.add(1, [note("stubborn")]);
    await expect.poll(() => ledger.notes()).toEqual(["failed: stubborn", "failed: stubborn", "stubborn"]);
  });

  test("that its object did not run is run after a restart", async () => {
    const ledger = open();
    await ledger.failNext(1);
    await ledger.add(1, [note("survivor")]);
    await ledger.settled("survivor");
    await evictDurableObject(ledger);
    await ledger.sum();
    await ledger.settled("survivor");
    expect(await ledger.notes()).toEqual(["failed: survivor", "survivor"]);
  });

  test("that is added right after another one with its key runs immediately, not after the lease", async () => {
    const ledger = open();
    await ledger.askBehindNext([note("second", "same")]);
    await ledger.add(1, [note("first", "same")]);
    await ledger.settled("same");
    await ledger.settled("same");
    expect(await ledger.notes()).toEqual(["first", "second"]);
  });

  test("is replaced by a newer one with its key", async () => {
    const ledger = open();
    await ledger.failNext(1);
    await ledger.add(1, [note("old", "same")]);
    await ledger.settled("same");
    await ledger.add(1, [note("new", "same")]);
    await ledger.settled("same");
    await runDurableObjectAlarm(ledger);
    expect(await ledger.notes()).toEqual(["failed: old", "new"]);
  });
});

describe("effects that are done", () => {
  const stored = (ledger: ReturnType<typeof open>) =>
    runInDurableObject(ledger, (_, { storage }) =>
      storage.sql
        .exec<{ key: string }>("SELECT key FROM effects ORDER BY key")
        .toArray()
        .map(({ key }) => key),
    );

  test("are deleted together, once none is being performed", async () => {
    const ledger = open();
    await ledger.add(1, [note("held"), note("one"), note("two")]);
    await Promise.all([ledger.settled("one"), ledger.settled("two")]);
    expect(await stored(ledger)).toEqual(["note:held", "note:one", "note:two"]);
    await ledger.release();
    await expect.poll(() => stored(ledger)).toEqual([]);
    expect((await ledger.notes()).sort()).toEqual(["held", "one", "two"]);
  });

  test("are deleted with the next decision", async () => {
    const ledger = open();
    await ledger.add(1, [note("held"), note("one")]);
    await ledger.settled("one");
    await ledger.add(1, [note("one")]);
    await ledger.settled("one");
    expect(await ledger.notes()).toEqual(["one", "one"]);
    await ledger.add(1, [note("two")]);
    expect(await stored(ledger)).not.toContain("note:one");
    await ledger.release();
  });

  test("and not deleted when the object dies are performed once more", async () => {
    const name = crypto.randomUUID();
    const dying = env.LEDGER.getByName(name);
    await dying.add(1, [note("held"), note("one")]);
    await dying.settled("one");
    await abortAllDurableObjects();
    const ledger = env.LEDGER.getByName(name);
    await ledger.release();
    await expect.poll(() => stored(ledger)).toEqual([]);
    expect((await ledger.notes()).sort()).toEqual(["held", "one", "one"]);
  });

  test("without being stored first are stored only if they fail", async () => {
    const ledger = open();
    await ledger.attempt(note("held"));
    expect(await stored(ledger)).toEqual([]);
    await ledger.release();
    await ledger.settled("held");
    await ledger.failNext(1);
    await ledger.attempt(note("one"));
    await ledger.settled("one");
    await expect.poll(() => ledger.notes()).toEqual(["held", "failed: one", "one"]);
    await expect.poll(() => stored(ledger)).toEqual([]);
  });
});

describe("a reminder", () => {
  test("fires together with others on one alarm, each once", async () => {
    const ledger = open();
    await ledger.add(1, [
      { type: "remind", name: "first", at: soon() },
      { type: "remind", name: "second", at: soon() },
    ]);
    await expect.poll(async () => (await ledger.notes()).sort()).toEqual(["reminded of first", "reminded of second"]);
    await runDurableObjectAlarm(ledger);
    expect(await ledger.notes()).toHaveLength(2);
  });

  test("that is cancelled does not fire", async () => {
    const ledger = open();
    const clock = fakeClock();
    try {
      await ledger.add(1, [{ type: "remind", name: "first", at: clock.now() + minuteMs }]);
      await ledger.add(1, [
        { type: "forget", name: "first" },
        { type: "remind", name: "second", at: clock.now() + 2 * minuteMs },
      ]);
      await clock.pass(ledger, 3 * minuteMs);
      await expect.poll(() => ledger.notes()).toEqual(["reminded of second"]);
    } finally {
      clock.putBack();
    }
  });

  test("is cancelled with all others, and can be set again in the same decision", async () => {
    const ledger = open();
    await ledger.add(1, [{ type: "remind", name: "first", at: Date.now() + minuteMs }]);
    await ledger.add(1, [{ type: "forget-all" }, { type: "remind", name: "second", at: Date.now() + minuteMs }]);
    const names = await runInDurableObject(ledger, (_, { storage }) =>
      storage.sql.exec<{ name: string }>("SELECT name FROM reminders").toArray(),
    );
    expect(names).toEqual([{ name: "second" }]);
  });

  test("that is not due waits, even if another one fires", async () => {
    const ledger = open();
    await ledger.add(1, [
      { type: "remind", name: "first", at: soon() },
      { type: "remind", name: "second", at: Date.now() + 3_600_000 },
    ]);
    await expect.poll(() => ledger.notes()).toEqual(["reminded of first"]);
    await runDurableObjectAlarm(ledger);
    expect(await ledger.notes()).toEqual(["reminded of first"]);
  });

  test("that fails fires again", async () => {
    const ledger = open();
    await ledger.failNext(1);
    await ledger.add(1, [{ type: "remind", name: "first", at: soon() }]);
    await expect.poll(() => ledger.notes()).toEqual(["failed: reminded of first", "reminded of first"]);
  });

  test("outlives its object", async () => {
    const ledger = open();
    await ledger.add(1, [{ type: "remind", name: "first", at: Date.now() + 500 }]);
    await evictDurableObject(ledger);
    await expect.poll(() => ledger.notes()).toEqual(["reminded of first"]);
  });
});

describe("an effect that keeps failing", () => {
  const rows = async (name: string) => {
    const { results } = await env.DB.prepare(
      "SELECT key, attempts, reason FROM parked_effects WHERE name = ?1 ORDER BY key",
    )
      .bind(name)
      .all();
    return results;
  };
  const stored = (ledger: ReturnType<typeof open>) =>
    runInDurableObject(ledger, (_, { storage }) =>
      storage.sql
        .exec<{ key: string; attempts: number; due: number }>("SELECT key, attempts, due_at AS due FROM effects")
        .toArray(),
    );
  /** As if the effects had failed one time fewer than parks them. */
  const failedForLong = (ledger: ReturnType<typeof open>) =>
    runInDurableObject(ledger, (_, { storage }) => {
      storage.sql.exec("UPDATE effects SET attempts = 19, due_at = 0");
    });
  const park = async (times = 2) => {
    const name = crypto.randomUUID();
    const ledger = env.LEDGER.getByName(name);
    await ledger.failNext(times);
    await ledger.add(1, [note("hopeless")]);
    await ledger.settled("hopeless");
    await failedForLong(ledger);
    await runDurableObjectAlarm(ledger);
    await expect.poll(() => rows(name)).toMatchObject([{ key: "note:hopeless", attempts: 20 }]);
    return { name, ledger };
  };

  test("is not listed or logged while it only waits", async () => {
    const log = captureLog();
    const { name, ledger } = await park();
    await ledger.add(1, [note("waits", "hopeless"), note("waits")]);
    await ledger.settled("waits");
    await failedForLong(ledger);
    await runDurableObjectAlarm(ledger);
    await expect.poll(() => stored(ledger)).toMatchObject([{ attempts: 12 }, { attempts: 12 }]);
    await expect.poll(() => rows(name)).toEqual([]);
    const ofFailures = log.filter(({ event }) => event === "effect.parked" || event === "effect.failed");
    expect(ofFailures).not.toContainEqual(expect.objectContaining({ effect: "note:waits" }));
  });

  test("is listed and retried after five minutes, and delays nothing", async () => {
    const { ledger } = await park();
    const [parked] = await stored(ledger);
    expect(parked?.attempts).toBe(20);
    expect(parked?.due).toBeGreaterThan(Date.now() + 4 * minuteMs);
    await ledger.add(1, [note("other")]);
    await ledger.settled("other");
    expect(await ledger.notes()).toEqual(["failed: hopeless", "failed: hopeless", "other"]);
  });

  test("is performed when its object wakes", async () => {
    const { name, ledger } = await park();
    await evictDurableObject(ledger);
    await ledger.sum();
    await ledger.settled("hopeless");
    expect(await ledger.notes()).toEqual(["failed: hopeless", "failed: hopeless", "hopeless"]);
    await expect.poll(() => rows(name)).toEqual([]);
  });

  test("is repeated once it is due, logged once, stays parked, and is not listed once it succeeds", async () => {
    const log = captureLog();
    const { name, ledger } = await park(3);
    const due = () =>
      runInDurableObject(ledger, (_, { storage }) => void storage.sql.exec("UPDATE effects SET due_at = 0"));
    await due();
    await runDurableObjectAlarm(ledger);
    await expect.poll(() => rows(name)).toMatchObject([{ attempts: 21 }]);
    await due();
    await evictDurableObject(ledger);
    await ledger.sum();
    await expect.poll(() => rows(name)).toEqual([]);
    expect((await ledger.notes()).at(-1)).toBe("hopeless");
    const parked = log.filter(({ event, objectId }) => event === "effect.parked" && objectId === name);
    expect(parked).toMatchObject([{ level: "error", attempts: 20 }]);
  });

  test("is repeated when the operator asks, as if it had never failed", async () => {
    const { name, ledger } = await park();
    expect(await ledger.retryParked()).toBe(1);
    await ledger.settled("hopeless");
    expect((await ledger.notes()).at(-1)).toBe("hopeless");
    expect(await rows(name)).toEqual([]);
    expect(await ledger.retryParked()).toBe(0);
  });

  test("is not listed once a newer one under its key is done", async () => {
    const { name, ledger } = await park();
    await ledger.add(1, [note("newer", "hopeless")]);
    await ledger.settled("hopeless");
    await expect.poll(() => rows(name)).toEqual([]);
  });
});
