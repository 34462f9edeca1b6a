// Between a message and its sandbox: whatever the sandbox does, and whenever the object dies
// meanwhile, the sender gets a response immediately, the message keeps its place, and a repeated
// request is the same request.
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import {
  beginSession,
  by,
  completed,
  facts,
  type SessionDriver,
  started,
  textBlock,
} from "../support/session-driver.ts";

const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });
const contents = (messages: { content: string | null }[]) => messages.map(({ content }) => content);

let driver: SessionDriver;
beforeEach(async () => {
  driver = await beginSession();
});

/** Runs the current turn to its end. */
async function complete(): Promise<string> {
  const turnId = (await driver.state()).chat.turn?.id ?? "";
  const link = await driver.link(turnId);
  const seq = link.acked() ?? 0;
  if (seq === 0) await link.tell(1, started);
  await link.tell(Math.max(seq, 1) + 1, completed);
  return turnId;
}
const listStarts = async (turnId: string) =>
  (await driver.sandbox.asked()).filter((asked) => asked === `start ${turnId}`).length;

describe("a sandbox whose start never returns", () => {
  beforeEach(() => driver.sandbox.behave("waits"));

  test("does not block senders: the first has a pending job, the next ones are queued", async () => {
    const turnId = await driver.startTurn("one");
    await until(() => listStarts(turnId)).toBe(1);
    expect(await driver.send("two")).toMatchObject({ delivery: "queued" });
    const { turn, upNext } = (await driver.state()).chat;
    expect([turn?.status, contents(upNext)]).toEqual(["pending", ["two"]]);
  });

  test("does not prevent a stop of the turn, and the next one is handed over once there is a sandbox", async () => {
    const turnId = await driver.startTurn("one");
    await driver.send("two");
    await until(() => listStarts(turnId)).toBe(1);
    expect(await driver.session().cancel(turnId, by)).toEqual({ settled: true });
    await driver.resume();
    const next = (await driver.state()).chat.turn?.id ?? "";
    await driver.sandbox.behave("takes");
    await until(() => listStarts(next)).toBeGreaterThan(0);
    expect(await complete()).toBe(next);
    expect((await driver.session().turn(turnId))?.status).toBe("cancelled");
  });

  test("is called again after the object's restart", async () => {
    const turnId = await driver.startTurn("one");
    await driver.send("two");
    await until(() => listStarts(turnId)).toBe(1);
    await abortAllDurableObjects();
    await driver.sandbox.behave("takes");
    expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "pending" });
    await until(() => listStarts(turnId)).toBe(2);
    await complete();
    expect(contents((await driver.messages()).filter(({ role }) => role === "user"))).toEqual(["one", "two"]);
  });
});

describe("a message that cannot be delivered", () => {
  test("fails with a code of its own where no model provider is connected", async () => {
    const unasked = { model: null, runningTurnId: null, retriedTurnId: null, seen: null };
    const order = { body: createTextMessage("one"), by, ...unasked };
    await driver.session().send(order, { ...facts, runnable: new Set() }, null);
    const readTurn = async () => (await driver.state()).chat.turn;
    await until(readTurn).toMatchObject({ status: "failed", errorCode: "no_credentials" });
  });

  test("fails with a reason; it is not sent again, and the queued ones stay in order until the queue is resumed", async () => {
    await driver.startTurn("one");
    for (const content of ["two", "three", "four"]) await driver.send(content);
    await driver.sandbox.behave("refuses");
    await complete();
    await until(async () => (await driver.state()).chat.turn?.status).toBe("failed");
    await abortAllDurableObjects();
    const { turn, upNext, pause } = (await driver.state()).chat;
    expect(turn).toMatchObject({ number: 2, error: "no room in the sandbox" });
    expect([contents(upNext), pause?.reason]).toEqual([["three", "four"], "failed"]);
    await driver.sandbox.behave("takes");
    await driver.resume();
    await complete();
    await complete();
    const { turns } = await driver.session().turns(1, 25);
    expect(turns.map(({ number, status }) => [number, status])).toEqual([
      [4, "completed"],
      [3, "completed"],
      [2, "failed"],
      [1, "completed"],
    ]);
    expect(contents((await driver.messages()).filter(({ role }) => role === "user"))).toEqual([
      "one",
      "two",
      "three",
      "four",
    ]);
  });

  test("keeps its place before the others while its sandbox is unreachable, and is sent when possible", async () => {
    await driver.startTurn("one");
    for (const content of ["two", "three"]) await driver.send(content);
    await driver.sandbox.behave("throws");
    await complete();
    const turnId = (await driver.state()).chat.turn?.id ?? "";
    await until(() => listStarts(turnId)).toBeGreaterThan(0);
    await abortAllDurableObjects();
    const { turn, upNext } = (await driver.state()).chat;
    expect([turn?.id, turn?.status, contents(upNext)]).toEqual([turnId, "pending", ["three"]]);
    const failures = await listStarts(turnId);
    await driver.sandbox.behave("takes");
    await until(() => listStarts(turnId)).toBeGreaterThan(failures);
    expect(await complete()).toBe(turnId);
    await complete();
    expect(contents((await driver.messages()).filter(({ role }) => role === "user"))).toEqual(["one", "two", "three"]);
  });
});

describe("a send whose response was lost", () => {
  const repeat = { key: "a key", bodyHash: "a body" };

  test("returns the same job when it is repeated: during the wake, after a restart, and after the turn", async () => {
    await driver.sandbox.behave("waits");
    const first = await driver.send("hello", {}, repeat);
    if (isRefusal(first) || first.delivery !== "job") throw new Error("no turn");
    expect(await driver.send("hello", {}, repeat)).toEqual(first);
    await abortAllDurableObjects();
    expect(await driver.send("hello", {}, repeat)).toEqual(first);
    const other = { ...repeat, bodyHash: "another body" };
    expect(await driver.send("changed", {}, other)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    await driver.sandbox.behave("takes");
    expect(await complete()).toBe(first.turnId);
    await abortAllDurableObjects();
    expect(await driver.send("hello", {}, repeat)).toEqual(first);
    expect(await driver.send("changed", {}, other)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    expect((await driver.session().turns(1, 25)).total).toBe(1);
    expect(contents(await driver.messages())).toEqual(["hello"]);
  });

  test("is queued once, even after it has run", async () => {
    await driver.startTurn("one");
    const first = await driver.send("two", {}, repeat);
    await abortAllDurableObjects();
    expect(await driver.send("two", {}, repeat)).toEqual(first);
    expect(contents((await driver.state()).chat.upNext)).toEqual(["two"]);
    await complete();
    await complete();
    expect(await driver.send("two", {}, repeat)).toEqual(first);
    expect((await driver.session().turns(1, 25)).total).toBe(2);
  });
});

test("a move whose object restarts while it stops the turn loses no queued message, and can be repeated", async () => {
  const turnId = await driver.startTurn("one");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await driver.send("two");
  const models = { runnable: new Set(["anthropic"] as const) };
  const moved = driver
    .session()
    .update({ status: "completed" }, by, models)
    .catch(() => "died");
  await link.received("stop");
  expect(await driver.send("three")).toMatchObject({ code: "SESSION_UPDATING" });
  await abortAllDurableObjects();
  expect(await moved).toBe("died");
  await until(async () => (await driver.state()).chat.turn?.status).toBe("cancelled");
  const {
    session,
    chat: { upNext, pause },
  } = await driver.state();
  expect([session.status, contents(upNext), pause?.reason]).toEqual(["active", ["two"], "cancelled"]);
  expect(await driver.session().update({ status: "completed" }, by, models)).toMatchObject({
    session: { status: "completed" },
  });
});

test("the agent's text ends nothing: the job runs and the queue waits until the turn's end", async () => {
  const turnId = await driver.startTurn("one");
  await driver.send("two");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  for (let index = 0; index < 5; index++) {
    await link.tell(index + 2, textBlock(index, "I am done. Anything else?"));
    await evictDurableObject(driver.session());
    const { turn, upNext } = (await driver.state()).chat;
    expect([turn?.id, turn?.status, contents(upNext)]).toEqual([turnId, "running", ["two"]]);
  }
  await link.tell(7, completed);
  expect((await driver.state()).chat.upNext).toEqual([]);
});
