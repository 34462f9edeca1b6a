// Streamed text: every reader gets every character once, and a piece of text is few rows.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { createLiveEvents } from "../../../durable-objects/chat/live-events.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, started, textBlock } from "../support/session-driver.ts";
import { countStorage } from "../support/storage-cost.ts";

const delta = (index: number, text: string): TurnEvent => ({ type: "text", index, delta: text });

test("every character arrives once: for a late subscriber, for one that resumed after an event, and over an eviction", async () => {
  const driver = await beginSession();
  const follow = async (lastEventId: string | null = null) =>
    (await openSubscriber(driver.session(), null, lastEventId)).catchUp();
  const turnId = await driver.startTurn("hello");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, "0 "));
  const whole = await follow();
  let seq = 2;
  const say = async (upTo: number) => {
    for (; seq < upTo + 2; ) {
      seq += 1;
      await link.tell(seq, delta(0, `${seq - 2} `));
    }
  };
  await say(10);
  const late = await follow();
  const lastSeen = late.events.at(-1)?.id ?? "";
  late.leave();
  await evictDurableObject(driver.session());
  await say(20);
  const resumed = await follow(lastSeen);
  await say(30);
  // What the program sends again after the eviction is not published again.
  await link.tell(seq, delta(0, "again"));
  await link.tell(seq + 1, completed);
  await Promise.all([whole, resumed].map((reader) => reader.received("end")));
  const joinText = (events: typeof whole.events) =>
    events
      .filter(({ event, data }) => event === "delta" || (event === "block" && data.role === "assistant"))
      .map(({ data }) => data.delta ?? data.block.content)
      .join("");
  const said = Array.from({ length: 31 }, (_, count) => `${count} `).join("");
  expect(joinText(whole.events)).toBe(said);
  expect(joinText([...late.events, ...resumed.events])).toBe(said);
  expect(joinText((await follow()).events)).toBe(said);
  expect((await driver.messages()).at(-1)?.blocks).toEqual([{ type: "text", content: said }]);
});

test("a piece of text writes its event and its block with the cursor of the link, a row each, however long the turn", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("hello");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, "one "));
  await driver.settled();
  for (const ofTurn of [null, turnId]) await (await openSubscriber(driver.session(), ofTurn)).catchUp();
  let seq = 2;
  const measureCost = async (pieces: number) => {
    const sum = await countStorage(driver);
    for (const end = seq + pieces; seq < end; ) await link.tell(++seq, delta(0, "two "));
    return await sum();
  };
  /** The least of a few costs: the check of a turn may fall into one of them. */
  const findCost = async () => {
    const costs = [await measureCost(20), await measureCost(20), await measureCost(20)];
    const least = (count: "rowsRead" | "rowsWritten") => Math.min(...costs.map((cost) => cost[count]));
    return { rowsRead: least("rowsRead"), rowsWritten: least("rowsWritten") };
  };
  const early = await findCost();
  await measureCost(300);
  const late = await findCost();
  expect([early.rowsWritten, late.rowsWritten]).toEqual([40, 40]);
  expect(late.rowsRead).toBeLessThanOrEqual(early.rowsRead + 20);
});

test("the newest event of a long turn is found with a handful of rows", async () => {
  const driver = await beginSession();
  const before = await runInDurableObject(driver.session(), (_, { storage }) => {
    const log = createLiveEvents(storage);
    const block = { type: "text" as const, content: "words" };
    for (let place = 0; place < 200; place++)
      log.append({ type: "answer-block", turnId: "long", messageId: "m", place, block });
    return log.span().newest - 1;
  });
  const reading = await countStorage(driver);
  const found = await runInDurableObject(driver.session(), (_, { storage }) =>
    createLiveEvents(storage)
      .after(before, "long", 1e6)
      .map(({ id }) => id),
  );
  expect(found).toEqual([before + 1]);
  expect((await reading()).rowsRead).toBeLessThan(20);
});
