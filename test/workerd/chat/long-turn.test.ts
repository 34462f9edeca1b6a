// A turn of thousands of events: followed as it happens and read again afterwards, a bounded piece
// at a time, while it continues.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createEventStream } from "../../../src/http/event-stream.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, started, textBlock } from "../support/session-driver.ts";

const eventCount = 10_000;
const deltasPerBlock = 1_000;
/** A batch, its framing, and the event that exceeds the limit. */
const largestFrame = 400_000;

test("a turn of 10,000 events is received complete by every subscriber, and does not slow down other reads", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("Tell me everything.");
  const link = await driver.link(turnId);
  const watcher = await (await openSubscriber(driver.session())).catchUp();
  await link.tell(1, started);

  const events = Array.from({ length: eventCount }, (_, place): TurnEvent => {
    const index = Math.floor(place / deltasPerBlock);
    return place % deltasPerBlock === 0
      ? textBlock(index, "")
      : { type: "text", index, delta: `${place}: some words of an answer that goes on and on. ` };
  });
  for (const [place, event] of events.entries()) {
    link.send(place + 2, event);
    // The conversation is read now and then.
    if (place % 2_500 === 0) expect((await driver.messages())[0]).toMatchObject({ content: "Tell me everything." });
  }
  await link.tell(eventCount + 2, completed);
  await Promise.all([link.received("ack"), watcher.received("end")]);

  const late = await openSubscriber(driver.session(), turnId);
  let batches = 0;
  while (!late.isClosed()) {
    await late.more();
    batches += 1;
  }
  expect(batches).toBeGreaterThan(5);
  expect(late.largestFrame()).toBeLessThan(largestFrame);
  const ofTurn = watcher.events.filter(({ event }) => event !== "session" && event !== "queue");
  expect(late.events.length).toBeGreaterThan(eventCount);
  expect(late.events).toEqual(ofTurn);

  const blocks: string[] = [];
  for (const { event, data } of late.events) {
    if (event === "block" && data.role === "assistant") blocks[data.index] = data.block.content;
    if (event === "delta") blocks[data.index] += data.delta;
  }
  const kept = (await driver.messages()).at(-1)?.blocks;
  expect(kept).toEqual(blocks.map((content) => ({ type: "text", content })));
}, 300_000);

test("a client that does not read is disconnected, and resumes where it stopped", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("Tell me everything.");
  const stream = await readStream(driver.id, turnId, null);
  const reader = stream.getReader();
  let text = "";
  const read = async () => {
    const { value, done } = await reader.read();
    text += new TextDecoder().decode(value);
    return !done;
  };
  while (!text.includes('"pending"')) await read();

  const link = await driver.link(turnId);
  await link.tell(1, started);
  const large = "x".repeat(100_000);
  for (let place = 0; place < 40; place++) await link.tell(place + 2, textBlock(place, large));
  await link.tell(42, completed);
  while (await read());
  expect(text).not.toContain("event: end");
  expect(text.length).toBeLessThan(2_000_000);

  for (let cuts = 0; !text.includes("event: end") && cuts < 3; cuts++) {
    const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? null;
    for await (const chunk of await readStream(driver.id, turnId, last)) text += new TextDecoder().decode(chunk);
  }
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(text).toContain("event: end");
  expect(text.match(/"role":"assistant"/g)).toHaveLength(40);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
});

/** Opens the stream that a client of one turn would read. */
async function readStream(sessionId: string, turnId: string, lastEventId: string | null) {
  const headers = {
    upgrade: "websocket",
    "x-live-subscription": JSON.stringify({ turnId, untilTurnId: null, lastEventId }),
  };
  const { webSocket } = await env.SESSION.getByName(sessionId).fetch("http://session/events", { headers });
  if (!webSocket) throw new Error("no WebSocket");
  return createEventStream(webSocket, { isStillAuthorized: async () => true });
}
