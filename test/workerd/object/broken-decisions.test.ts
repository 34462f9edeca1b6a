// A session object whose storage fails in the middle of an operation: nothing of it stays, and the
// next operation sees what is really stored.
import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, beforeEach, expect, test } from "vitest";
import { beginSession, by, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
beforeEach(async () => {
  driver = await beginSession();
});
afterEach(async () => {
  await driver.settled();
});

/** From now on nothing can be written to a table. */
const breakTable = (table: string) =>
  driver.sql(`CREATE TRIGGER broken BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'told to break'); END`);
const mend = () => driver.sql("DROP TRIGGER broken");
const failure = (work: Promise<unknown>) => work.then(() => null).catch(String);

/** The state that the object reports, and the state after a restart. */
async function knownAndKept() {
  const known = [await driver.state(), await driver.messages()];
  await abortAllDurableObjects();
  return { known, kept: [await driver.state(), await driver.messages()] };
}

test("a failed send starts nothing and does not change the session", async () => {
  const before = await driver.state();
  for (const table of ["turns", "messages", "effects", "event_log"]) {
    await breakTable(table);
    expect(await failure(driver.send("never"))).toMatch(/told to break/);
    expect(await driver.state()).toEqual(before);
    await mend();
  }
  const { known, kept } = await knownAndKept();
  expect(kept).toEqual(known);
  const turnId = await driver.startTurn("hello");
  expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, number: 1 });
  expect((await driver.messages()).map(({ content }) => content)).toEqual(["hello"]);
});

test("a message whose queueing fails is not queued, and the queued ones keep their order", async () => {
  await driver.startTurn("hello");
  await driver.send("one");
  await driver.settled();
  for (const table of ["up_next", "effects"]) {
    await breakTable(table);
    expect(await failure(driver.send("never"))).toMatch(/told to break/);
    expect((await driver.state()).chat.upNext.map(({ content }) => content)).toEqual(["one"]);
    await mend();
  }
  await driver.send("two");
  const { known, kept } = await knownAndKept();
  expect(kept).toEqual(known);
  expect((await driver.state()).chat.upNext.map(({ content }) => content)).toEqual(["one", "two"]);
});

test("the end of a turn is repeated after a failure, and the turn ends once", async () => {
  const turnId = await driver.startTurn("hello");
  await driver.send("next");
  let link = await driver.link(turnId);
  await link.tell(1, started);
  await driver.settled();
  await breakTable("effects");
  link.send(2, completed);
  // The sandbox would wait for its ack for ever; it dials again and repeats the event.
  await link.closed();
  link = await driver.link(turnId);
  expect(link.acked()).toBe(1);
  expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "running" });
  await mend();
  await link.tell(2, completed);
  const { turn, upNext } = (await driver.state()).chat;
  expect([turn?.number, turn?.status, upNext]).toEqual([2, "pending", []]);
  const { known, kept } = await knownAndKept();
  expect(kept).toEqual(known);
});

test.each([
  ["for the newest block, whose event cannot be stored", 1, "INSERT ON event_log"],
  ["for an earlier block, whose position cannot be stored", 0, "UPDATE OF seq ON links"],
])("text %s is not stored either, and is repeated once", async (_, index, write) => {
  const turnId = await driver.startTurn("hello");
  let link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, "one "));
  await link.tell(3, textBlock(1, "one "));
  await driver.sql(`CREATE TRIGGER broken BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'told to break'); END`);
  link.send(4, { type: "text", index, delta: "two" });
  await link.closed();
  link = await driver.link(turnId);
  expect(link.acked()).toBe(3);
  await mend();
  await link.tell(4, { type: "text", index, delta: "two" });
  await link.tell(5, completed);
  const told = ["one ", "one "].map((content, at) => ({ type: "text", content: at === index ? "one two" : content }));
  expect((await driver.messages()).at(-1)?.blocks).toEqual(told);
});

test("a failed change of the queue changes nothing", async () => {
  await driver.startTurn("hello");
  for (const content of ["one", "two", "three"]) await driver.send(content);
  await driver.settled();
  const [one] = (await driver.state()).chat.upNext;
  await breakTable("up_next");
  const moved = driver.session().updateQueue({ type: "move", messageId: one?.id ?? "", by, toIndex: 2 });
  expect(await failure(moved)).toMatch(/told to break/);
  await mend();
  const { known, kept } = await knownAndKept();
  expect(kept).toEqual(known);
  expect((await driver.state()).chat.upNext.map(({ content }) => content)).toEqual(["one", "two", "three"]);
});
