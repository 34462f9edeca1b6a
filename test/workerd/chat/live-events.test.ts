// Live events of a session object: what its subscribers receive, whenever they subscribe or resume.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { createLiveEvents } from "../../../durable-objects/chat/live-events.ts";
import { messageContentCharacters } from "../../../src/rules/limits.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, by, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
beforeEach(async () => {
  driver = await beginSession();
});

const follow = async (turnId: string | null = null, lastEventId: string | null = null) =>
  (await openSubscriber(driver.session(), turnId, lastEventId)).catchUp();
const delta = (index: number, text: string): TurnEvent => ({ type: "text", index, delta: text });

/** Runs a turn to its end through its link and returns its id. */
async function runTurn(content = "hello"): Promise<string> {
  const turnId = await driver.startTurn(content);
  const link = await driver.link(turnId);
  for (const [place, event] of [started, textBlock(0, "one "), delta(0, "two"), completed].entries())
    await link.tell(place + 1, event);
  return turnId;
}

/** Drops the oldest events, so that this many are left. */
async function dropAllBut(count: number): Promise<void> {
  await runInDurableObject(driver.session(), (_, { storage }) => {
    storage.sql.exec("DELETE FROM event_log WHERE id <= (SELECT max(id) FROM event_log) - ?", count);
  });
}

describe("a subscriber of the session", () => {
  test("without a turn gets the state of the session and Up next", async () => {
    const reader = await follow();
    expect(reader.names()).toEqual(["session", "queue"]);
    expect(reader.events[0]?.data.session).toMatchObject({ id: driver.id, latestChatJob: null });
    expect(reader.events[1]?.data).toEqual({ count: 0, paused: null, messages: [] });
  });

  test("gets the events of a turn from its message to its end, as they happen", async () => {
    const reader = await follow();
    const turnId = await runTurn();
    await reader.received("end");
    const [message, job, , , ...rest] = reader.events.slice(2);
    expect(message).toMatchObject({
      event: "block",
      data: {
        jobId: turnId,
        role: "user",
        index: 0,
        block: { type: "text", content: "hello" },
        delivery: "job",
        author: { name: "Mia" },
      },
    });
    expect(job).toMatchObject({ event: "job", data: { job: { id: turnId, status: "pending", jobNumber: 1 } } });
    expect(rest.filter(({ event }) => event !== "session")).toMatchObject([
      { event: "job", data: { job: { status: "running" } } },
      {
        event: "block",
        data: { jobId: turnId, role: "assistant", index: 0, block: { type: "text", content: "one " } },
      },
      { event: "delta", data: { jobId: turnId, index: 0, delta: "two" } },
      { event: "job", data: { job: { status: "completed" } } },
      { event: "end", data: { jobId: turnId, status: "completed", error: null, errorCode: null } },
    ]);
  });

  test("that subscribes after the end gets the same events", async () => {
    const early = await follow();
    await runTurn();
    await early.received("end");
    const late = await follow();
    expect(late.events).toEqual(early.events.slice(2));
  });

  test("gets the changes of the queue, and the end of a turn before the next turn", async () => {
    const turnId = await driver.startTurn("first");
    await driver.send("second");
    const reader = await follow();
    expect(reader.events.findLast(({ event }) => event === "queue")?.data).toMatchObject({
      count: 1,
      messages: [{ position: 0, version: expect.any(Number) }],
    });
    const link = await driver.link(turnId);
    await link.tell(1, started);
    const before = reader.events.length;
    await link.tell(2, completed);
    await reader.heardAll(before + 6);
    const told = reader.events
      .slice(before)
      .map(({ event, data }) => `${event} ${data.job?.status ?? data.role ?? ""}`);
    expect(told).toEqual(["job completed", "end ", "block user", "job pending", "session ", "queue "]);
  });

  test("that resumes after any event gets exactly the later ones", async () => {
    await runTurn();
    const { events } = await follow();
    for (const [place, { id }] of events.entries()) {
      const resumed = await follow(null, id);
      expect(resumed.events).toEqual(events.slice(place + 1));
      resumed.leave();
    }
  });

  test("stays through an eviction of the object", async () => {
    const reader = await follow();
    await evictDurableObject(driver.session());
    await runTurn();
    await reader.received("end");
    expect(reader.events.slice(2)).toEqual((await follow()).events);
  });

  test("with an unknown event id gets a snapshot and the later events", async () => {
    const turnId = await runTurn();
    for (const id of ["999999", "nonsense"]) {
      const reader = await follow(null, id);
      expect(reader.names()).toEqual(["reset", "block", "block", "job", "end", "session", "queue"]);
      expect(reader.events[2]?.data).toMatchObject({ index: 0, block: { content: "one two" } });
      expect(reader.events[4]?.data).toMatchObject({ jobId: turnId, status: "completed" });
      expect(new Set(reader.events.map((event) => event.id)).size).toBe(reader.events.length);
      expect((await follow(null, reader.events.at(-1)?.id)).events).toEqual([]);
      expect((await follow(null, reader.events[1]?.id)).names()).toEqual(reader.names());
    }
  });

  test("whose last event was dropped gets a snapshot", async () => {
    await runTurn();
    await dropAllBut(2);
    expect((await follow(null, "1")).names()).toEqual(["reset", "block", "block", "job", "end", "session", "queue"]);
  });
});

test("a subscriber that is slower than the log is reset, and misses nothing", async () => {
  await runTurn();
  const reader = await openSubscriber(driver.session(), null, "1");
  await dropAllBut(2);
  await reader.catchUp();
  expect(reader.names()).toEqual(["reset", "block", "block", "job", "end", "session", "queue"]);
  await runTurn("another");
  await reader.received("delta");
  expect(reader.events.findLast(({ event }) => event === "delta")?.data).toMatchObject({ delta: "two" });
});

describe("a subscriber of one turn", () => {
  test("gets the events of that turn only, and is closed at its end", async () => {
    const turnId = await driver.startTurn("first");
    await driver.send("second");
    const reader = await follow(turnId);
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, completed);
    await reader.closed();
    expect(reader.names()).toEqual(["block", "job", "job", "job", "end"]);
  });

  test("that subscribes after its end gets it, and is closed immediately if it has the end already", async () => {
    const turnId = await runTurn();
    await runTurn("another");
    const reader = await follow(turnId);
    expect(reader.isClosed()).toBe(true);
    expect(reader.names()).toEqual(["block", "job", "job", "block", "delta", "job", "end"]);
    expect((await openSubscriber(driver.session(), turnId, reader.events.at(-1)?.id)).status).toBe(204);
    expect((await follow(turnId, reader.events.at(-2)?.id)).names()).toEqual(["end"]);
  });

  test("whose events were dropped gets a snapshot of the turn", async () => {
    const turnId = await runTurn();
    await dropAllBut(1);
    const reader = await follow(turnId);
    expect(reader.isClosed()).toBe(true);
    expect(reader.names()).toEqual(["block", "block", "job", "end"]);
    expect(reader.events[1]?.data.block).toEqual({ type: "text", content: "one two" });
  });

  test("that does not exist is closed", async () => {
    expect((await openSubscriber(driver.session(), crypto.randomUUID())).status).toBe(404);
  });
});

describe("the snapshot of a turn whose first events were dropped", () => {
  test("equals the conversation, even if the turn continues meanwhile", async () => {
    const turnId = await driver.startTurn("go");
    const link = await driver.link(turnId);
    const large = "x".repeat(100_000);
    await link.tell(1, started);
    for (let place = 0; place < 6; place++) await link.tell(place + 2, textBlock(place, large));
    await dropAllBut(1);
    const reader = await openSubscriber(driver.session(), null, "1");
    await reader.more();
    expect(reader.names()).not.toContain("job");
    await link.tell(8, delta(0, "late"));
    await link.tell(9, textBlock(6, "new"));
    await reader.catchUp();
    await link.tell(10, delta(6, "er"));
    await link.tell(11, completed);
    await reader.received("end");
    expect(told(reader.events)).toEqual((await driver.messages()).at(-1)?.blocks);
  });

  /** The blocks of the agent as a client assembles them. */
  function told(
    events: { event: string; data: { role: string; index: number; block: { content: string }; delta: string } }[],
  ) {
    const blocks: { content: string }[] = [];
    for (const { event, data } of events) {
      if (event === "block" && data.role === "assistant") blocks[data.index] = { ...data.block };
      const grown = blocks[data.index];
      if (event === "delta" && grown) grown.content += data.delta;
    }
    return blocks;
  }
});

const createUpNext = (id: string) => ({
  type: "up-next" as const,
  turnId: null,
  messages: [{ id, version: 1 }],
  pause: null,
});

describe("the log", () => {
  test("drops the events of a rolled back transaction, and sends them to nobody", async () => {
    await runInDurableObject(driver.session(), (_, { storage }) => {
      const log = createLiveEvents(storage);
      const { newest } = log.span();
      expect(() =>
        storage.transactionSync(() => {
          log.append(createUpNext("lost"));
          throw new Error("rolled back");
        }),
      ).toThrow("rolled back");
      log.append(createUpNext("kept"));
      expect(log.after((log.claimUnpublished() ?? 0) - 1, null, 1e6).map(({ data }) => data)).toEqual([
        expect.stringContaining("kept"),
      ]);
      expect(log.span().newest).toBe(newest + 1);
      expect(log.claimUnpublished()).toBeNull();
    });
  });
});

test("the event of the longest message fits into a row", async () => {
  await driver.startTurn("\u0001".repeat(messageContentCharacters));
  await runInDurableObject(driver.session(), (_, { storage }) => {
    const { bytes } = storage.sql
      .exec<{ bytes: number }>("SELECT max(octet_length(data)) AS bytes FROM event_log")
      .one();
    expect(bytes).toBeGreaterThan(messageContentCharacters);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

test("subscribers of a deleted session get its deletion and are closed", async () => {
  const turnId = await driver.startTurn("first");
  const [ofSession, ofTurn] = [await follow(), await follow(turnId)];
  const link = await driver.link(turnId);
  await link.tell(1, completed);
  await driver.session().delete(by);
  await Promise.all([ofSession.closed(), ofTurn.closed()]);
  expect(ofSession.events.at(-1)).toMatchObject({ event: "end", data: { deleted: true } });
});
