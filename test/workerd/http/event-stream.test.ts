// Event streams whose credential ends: an agent's with its turn, every other one at the next
// heartbeat.
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { formatEvent, liveFrame } from "../../../src/chat/wire/live-event.ts";
import { createEventStream } from "../../../src/http/event-stream.ts";
import { withFakedTimers } from "../support/faked-timers.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, type SessionDriver } from "../support/session-driver.ts";

describe("a subscriber whose credential ends with a turn", () => {
  let driver: SessionDriver;
  beforeEach(async () => {
    driver = await beginSession();
  });

  const followUntil = (untilTurnId: string, lastEventId: string | null = null) =>
    openSubscriber(driver.session(), null, lastEventId, untilTurnId);

  /** A turn with a queued one after it, and its subscriber. */
  async function followedTurn() {
    const turnId = await driver.startTurn("first");
    await driver.send("second");
    return { turnId, link: await driver.link(turnId), reader: await followUntil(turnId) };
  }

  test("gets no event after that turn's end, and is closed", async () => {
    const { turnId, link, reader } = await followedTurn();
    await reader.catchUp();
    await link.tell(1, completed);
    await reader.closed();
    expect(reader.events.at(-1)).toMatchObject({ event: "end", data: { jobId: turnId } });
    expect(reader.names().filter((name) => name === "end")).toEqual(["end"]);
  });

  test("gets no more events even if it reads slowly", async () => {
    const { turnId, link, reader } = await followedTurn();
    await runInDurableObject(driver.session(), (_, { storage }) => {
      storage.sql.exec("DELETE FROM event_log WHERE id < (SELECT max(id) FROM event_log)");
    });
    const shown = await followUntil(turnId, "1");
    await link.tell(1, completed);
    for (const slow of [reader, shown]) {
      await slow.catchUp();
      expect(slow.isClosed()).toBe(true);
      expect(slow.events.at(-1)).toMatchObject({ event: "end", data: { jobId: turnId } });
      expect(slow.events.every(({ data }) => (data.jobId ?? data.job?.id ?? turnId) === turnId)).toBe(true);
    }
  });

  test("is refused after the turn's end, and a turn of another session does not matter", async () => {
    const turnId = await driver.startTurn("first");
    await (await driver.link(turnId)).tell(1, completed);
    expect((await followUntil(turnId)).status).toBe(401);
    const reader = await (await followUntil(crypto.randomUUID())).catchUp();
    const before = reader.events.length;
    await (await driver.link(await driver.startTurn("second"))).tell(1, completed);
    await reader.heardAll(before + 1);
    expect(reader.isClosed()).toBe(false);
    reader.leave();
  });
});

describe("a stream whose credential outlives turns", () => {
  const heartbeatMs = 15_000;

  /** A stream, with the checks and the events so far. */
  function readStream(answers: (() => Promise<boolean>)[], checkEveryMs?: number) {
    const { 0: ours, 1: theirs } = new WebSocketPair();
    theirs.accept();
    let asked = 0;
    const stream = createEventStream(ours, {
      isStillAuthorized: () => answers[asked++]?.() ?? Promise.resolve(true),
      checkEveryMs,
    });
    const text = new Response(stream).text();
    return { text, asked: () => asked };
  }

  test("is checked with each heartbeat, and ends when the credential is no longer valid", () =>
    withFakedTimers(async () => {
      const stream = readStream([
        async () => true,
        () => Promise.reject(new Error("the database is away")),
        async () => false,
      ]);
      await vi.advanceTimersByTimeAsync(heartbeatMs - 1);
      expect(stream.asked()).toBe(0);
      await vi.advanceTimersByTimeAsync(10 * heartbeatMs);
      expect(await stream.text).toBe(`retry: 1000\n\n${":\n\n".repeat(3)}`);
      expect(stream.asked()).toBe(3);
    }));

  test("is checked rarely if its end is reported", () =>
    withFakedTimers(async () => {
      const stream = readStream([async () => false], 4 * heartbeatMs);
      await vi.advanceTimersByTimeAsync(4 * heartbeatMs - 1);
      expect(stream.asked()).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(await stream.text).toContain(":\n\n".repeat(3));
      expect(stream.asked()).toBe(1);
    }));
});

test("a client that reads slowly gets every numbered event, and not every piece of output", async () => {
  const { 0: ours, 1: theirs } = new WebSocketPair();
  theirs.accept();
  const stream = createEventStream(ours, { isStillAuthorized: async () => true });
  const isClosed = new Promise((resolve) => ours.addEventListener("close", resolve));
  const send = (id: number | null, event: string) =>
    theirs.send(formatEvent({ id, event, data: JSON.stringify("x".repeat(20_000)) }));
  theirs.send(liveFrame);
  for (let piece = 0; piece < 10; piece++) {
    send(null, "output");
    send(piece, "block");
  }
  theirs.close(1000);
  await isClosed;
  const names = [...(await new Response(stream).text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(names.filter((name) => name === "block")).toHaveLength(10);
  expect(names.filter((name) => name === "output")).toHaveLength(2);
});
