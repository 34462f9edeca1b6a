// The session object with a scripted sandbox: nothing accepted is lost, and at most one turn is
// ever unfinished.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { beginSession, by, completed, started, textBlock } from "../support/session-driver.ts";

const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });

describe("a message that was accepted", () => {
  test("starts a turn in its sandbox", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    await until(() => driver.sandbox.asked()).toEqual([`start ${turnId}`]);
    const [order] = await driver.sandbox.requests();
    expect(order).toMatchObject({ turnId, prompt: "hello", conversation: { isNew: true, handover: null } });
    expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "pending", number: 1 });
  });

  test("informs the agent that the named skill did not run, before the text", async () => {
    const driver = await beginSession();
    await driver.send("/svc:ship", { by: { type: "relay" } });
    await until(async () => (await driver.sandbox.requests()).length).toBe(1);
    const [order] = await driver.sandbox.requests();
    expect(order?.prompt).toMatch(/^\[The message calls svc:ship, which did not run: .+\]\n\n\/svc:ship$/);
    expect(order?.skill).toBeNull();
  });

  test("is delivered to its sandbox although its object ends right after the response", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    await evictDurableObject(driver.session());
    expect((await driver.state()).chat.turn?.id).toBe(turnId);
    await until(() => driver.sandbox.asked()).toContain(`start ${turnId}`);
  });

  test("is delivered to a sandbox that was unreachable at first", async () => {
    const driver = await beginSession();
    await driver.sandbox.behave("throws");
    const turnId = await driver.startTurn("hello");
    await until(() => driver.sandbox.asked()).toContain(`start ${turnId}`);
    await driver.sandbox.behave("takes");
    await until(async () => (await driver.sandbox.asked()).length).toBeGreaterThan(1);
    expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "pending" });
  });

  test("fails with the sandbox's reason, and the queue waits", async () => {
    const driver = await beginSession();
    await driver.sandbox.behave("refuses");
    await driver.startTurn("hello");
    await until(async () => (await driver.state()).chat.turn?.status).toBe("failed");
    const { turn, pause } = (await driver.state()).chat;
    expect(turn?.error).toBe("no room in the sandbox");
    expect(pause?.reason).toBe("failed");
  });

  test("is handed over with the conversation so far if the sandbox has lost it", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("first question");
    await until(() => driver.sandbox.asked()).toEqual([`start ${turnId}`]);
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, textBlock(0, "first answer"));
    await link.tell(3, completed);
    await driver.sandbox.behave("lacks-conversation");
    await driver.startTurn("second question");
    await until(async () => (await driver.sandbox.requests()).length).toBe(3);
    const order = (await driver.sandbox.requests()).at(-1);
    expect(order?.conversation).toMatchObject({ isNew: true });
    expect(order?.conversation.handover).toContain("first question");
    expect(order?.conversation.handover).toContain("first answer");
    expect(order?.conversation.handover).not.toContain("second question");
  });
});

describe("the queue", () => {
  test("continues in order, across evictions at every point", async () => {
    const driver = await beginSession();
    const turnIds = [await driver.startTurn("one")];
    for (const content of ["two", "three", "four"]) {
      expect(await driver.send(content)).toMatchObject({ delivery: "queued" });
      await evictDurableObject(driver.session());
    }
    for (let number = 1; number <= 4; number++) {
      const { turn } = (await driver.state()).chat;
      expect(turn?.number).toBe(number);
      const turnId = turn?.id ?? "";
      turnIds.push(turnId);
      await until(() => driver.sandbox.asked()).toContain(`start ${turnId}`);
      await evictDurableObject(driver.session());
      const link = await driver.link(turnId);
      await link.tell(1, started);
      await evictDurableObject(driver.session());
      await link.tell(2, completed);
    }
    const contents = (await driver.messages()).filter(({ role }) => role === "user").map(({ content }) => content);
    expect(contents).toEqual(["one", "two", "three", "four"]);
    expect((await driver.state()).chat.upNext).toEqual([]);
  });

  test("waits after a stop until it is resumed", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("one");
    await driver.send("two");
    expect(await driver.session().cancel(turnId, by)).toEqual({ settled: true });
    expect((await driver.state()).chat.pause?.reason).toBe("cancelled");
    await driver.resume();
    expect((await driver.state()).chat.turn).toMatchObject({ number: 2, status: "pending" });
  });
});

test("a send whose message could not be steered is not steered by its repeat, either", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("hello");
  const repeat = { key: "steered", bodyHash: "" };
  const send = () => driver.send("Not like that.", { steers: true }, repeat);
  const first = await send();
  expect(first).toMatchObject({ delivery: "queued" });
  const link = await driver.link(turnId);
  await link.tell(1, started);
  expect(await send()).toEqual(first);
  expect((await driver.state()).chat).toMatchObject({ steers: [], upNext: [{ content: "Not like that." }] });
});

test("a steer that its turn did not take before it ended has the same answer for its repeat", async () => {
  const driver = await beginSession();
  const link = await driver.link(await driver.startTurn("hello"));
  await link.tell(1, started);
  const queued = await driver.send("Not like that.");
  if (!("queuedMessageId" in queued)) throw new Error("not queued");
  const steer = () => driver.session().steer(queued.queuedMessageId, by, { key: "steer", bodyHash: "" });
  const first = steer();
  await link.tell(2, completed);
  // A machine that takes longer than the wait of a steer answers before the turn has ended.
  const answer = await first;
  expect(await steer()).toEqual(answer);
  expect((await driver.state()).chat).toMatchObject({ steers: [], upNext: [], turn: { number: 2 } });
});

test("of several results of one request, the first is kept", async () => {
  const driver = await beginSession();
  const repeat = { key: "copied", bodyHash: "" };
  const saved = await Promise.all(["one", "two"].map((result) => driver.session().saveResult(repeat, result)));
  expect(saved).toEqual(["one", "one"]);
  expect(await driver.session().findResult(repeat)).toEqual({ result: "one" });
});

describe("a hundred concurrent sends", () => {
  test("start one turn, queue twenty and lose none that was accepted", async () => {
    const driver = await beginSession();
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, place) => driver.send(`message ${place}`)));
    const deliveries = outcomes.map((outcome) => (isRefusal(outcome) ? outcome.code : outcome.delivery));
    expect(deliveries.filter((delivery) => delivery === "job")).toHaveLength(1);
    expect(deliveries.filter((delivery) => delivery === "queued")).toHaveLength(20);
    expect(deliveries.filter((delivery) => delivery === "QUEUE_FULL")).toHaveLength(79);
    expect((await driver.state()).chat.upNext).toHaveLength(20);
  });

  test("and the storage refuses a second unfinished turn", async () => {
    const driver = await beginSession();
    await driver.startTurn("one");
    const refused = await runInDurableObject(driver.session(), (_, state) => {
      try {
        state.storage.sql.exec(
          "INSERT INTO turns (id, number, status, sender, generation, created_at) VALUES ('x', 99, 'running', '{}', 0, 0)",
        );
        return null;
      } catch (error) {
        return String(error);
      }
    });
    expect(refused).toMatch(/UNIQUE/);
  });
});

describe("a stop", () => {
  test("is sent over the link, and the turn ends when the sandbox confirms it", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    const cancelled = driver.session().cancel(turnId, by);
    await link.received("stop");
    expect((await driver.state()).chat.turn?.status).toBe("running");
    expect(await driver.session().isTurnLive({ turnId, generation: 1 })).toBe(false);
    await link.tell(2, { type: "ended", outcome: { status: "cancelled" } });
    expect(await cancelled).toEqual({ settled: true });
    expect((await driver.state()).chat.turn?.status).toBe("cancelled");
  });

  test("of a turn that did not run yet ends it immediately, and its sandbox is called until it has cleaned up", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    expect(await driver.session().cancel(turnId, by)).toEqual({ settled: true });
    await link.received("stop");
    await until(() => driver.sandbox.asked()).toContain(`stop ${turnId}`);
  });

  test("is followed by the next message if the queue is resumed before its end", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    await driver.send("and then");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    const cancelled = driver.session().cancel(turnId, by);
    await link.received("stop");
    expect((await driver.state()).chat.pause?.reason).toBe("cancelled");
    expect(await driver.resume()).toBeNull();
    expect((await driver.state()).chat.turn?.id).toBe(turnId);
    await link.tell(2, { type: "ended", outcome: { status: "cancelled" } });
    expect(await cancelled).toEqual({ settled: true });
    expect((await driver.session().turn(turnId))?.status).toBe("cancelled");
    await until(async () => (await driver.sandbox.requests()).length).toBe(2);
    expect((await driver.sandbox.requests())[1]?.prompt).toContain("and then");
    expect((await driver.state()).chat.pause).toBeNull();
  });

  test("of a turn whose sandbox is gone ends it immediately", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    // Not even the watchdog knows; the stop finds no sandbox there.
    await driver.sandbox.behave("takes", { sandbox: "unknown" });
    link.close();
    await until(() => runInDurableObject(driver.session(), (_, state) => state.getWebSockets().length)).toBe(0);
    expect(await driver.session().cancel(turnId, by)).toEqual({ settled: true });
    expect((await driver.state()).chat.turn?.status).toBe("cancelled");
    expect(await driver.sandbox.asked()).not.toContain("discard 1");
  });

  test("that is never confirmed ends the turn anyway, and the sandbox is discarded", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    expect(await driver.session().cancel(turnId, by)).toEqual({ settled: false });
    await until(async () => (await driver.state()).chat.turn?.status).toBe("cancelled");
    await until(() => driver.sandbox.asked()).toContain("discard 1");
  });
});

describe("the watchdog", () => {
  test("fails a running turn whose sandbox is gone, soon after its link closed", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await driver.sandbox.behave("takes", { sandbox: "gone" });
    link.close();
    await until(async () => (await driver.state()).chat.turn?.status).toBe("failed");
    expect((await driver.state()).chat.turn?.error).toMatch(/sandbox stopped/i);
  });

  test("does not affect a turn with an open link, however old the alarm is", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await driver.sandbox.behave("takes", { sandbox: "gone" });
    await driver.settled();
    await driver.sql("UPDATE reminders SET at = 1");
    await runDurableObjectAlarm(driver.session());
    expect((await driver.state()).chat.turn?.status).toBe("running");
  });

  test("hands a turn over again if its sandbox was lost before the agent started", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    await until(() => driver.sandbox.asked()).toEqual([`start ${turnId}`]);
    await driver.sandbox.behave("takes", { sandbox: "gone" });
    await driver.settled();
    await driver.sql("UPDATE reminders SET at = 1");
    await runDurableObjectAlarm(driver.session());
    await until(() => driver.sandbox.asked()).toEqual([`start ${turnId}`, `start ${turnId}`]);
    expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "pending" });
  });

  test("fails a turn that sent nothing for too long, and discards the sandbox", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const link = await driver.link(turnId);
    await link.tell(1, started);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    try {
      await runDurableObjectAlarm(driver.session());
    } finally {
      vi.useRealTimers();
    }
    expect((await driver.state()).chat.turn).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/no sign of life/),
    });
    await until(() => driver.sandbox.asked()).toContain("discard 1");
  });
});

test("of a deleted session only its end, its pending effects and its stored results are left, which have tables of their own", async () => {
  const driver = await beginSession();
  const link = await driver.link(await driver.startTurn("hello"));
  await link.tell(1, textBlock(0, "Hello."));
  await link.tell(2, completed);
  await driver.session().branchHeads({ oldId: "0".repeat(40), newId: "1".repeat(40) });
  expect(await driver.session().delete(by)).toBeNull();
  const tables = await driver.sql<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_]*' AND name NOT GLOB 'sqlite[_]*'",
  );
  const filled: string[] = [];
  for (const { name } of tables) {
    const [row] = await driver.sql<{ count: number }>(`SELECT count(*) AS count FROM "${name}"`);
    if (row?.count !== 0) filled.push(name);
  }
  expect(tables.length).toBeGreaterThan(10);
  expect(filled.filter((name) => !["effects", "reminders", "answers"].includes(name))).toEqual(["event_log"]);
  expect(await driver.sql("SELECT event FROM event_log")).toEqual([{ event: "deleted" }]);
});

describe("the index in D1", () => {
  test("has the current session and its jobs", async () => {
    const driver = await beginSession();
    const turnId = await driver.startTurn("hello");
    const row = () =>
      env.DB.prepare("SELECT turn_id, turn_status, queue_count FROM sessions WHERE id = ?1").bind(driver.id).first();
    await until(row).toEqual({ turn_id: turnId, turn_status: "pending", queue_count: 0 });
    await driver.send("two");
    await until(row).toEqual({ turn_id: turnId, turn_status: "pending", queue_count: 1 });
    const job = () => env.DB.prepare("SELECT owner_id, status FROM jobs WHERE id = ?1").bind(turnId).first();
    await until(job).toEqual({ owner_id: driver.id, status: "pending" });
  });
});
