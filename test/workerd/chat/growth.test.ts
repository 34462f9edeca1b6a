// Growth: a session of hundreds of turns, and a turn of hundreds of long outputs, are stored in
// small rows, read in small pieces, and cost what a new session costs.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLiveEvents } from "../../../durable-objects/chat/live-events.ts";
import { queueSize, toolOutputBytes } from "../../../src/rules/limits.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";
import { countStorage, type StorageCost } from "../support/storage-cost.ts";

/** Cloudflare's limits of a row and a value. */
const rowBytes = 2_000_000;
const batches = [30, 90, 90, 90] as const;
const turnCount = 300;
const commandCount = 500;
const costTimes = 3;

/** The largest value of every column of every table that grows. */
async function largestValues(driver: SessionDriver): Promise<[column: string, bytes: number][]> {
  const columns = await driver.sql<{ place: string; type: string; tbl: string; col: string }>(
    `SELECT t.name || '.' || c.name AS place, t.name AS tbl, c.name AS col, c.type AS type
     FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE '\\_cf%' ESCAPE '\\' AND c.type = 'text'`,
  );
  const sizes: [string, number][] = [];
  for (const { place, tbl, col } of columns) {
    const [row] = await driver.sql<{ bytes: number | null }>(
      `SELECT max(octet_length("${col}")) AS bytes FROM "${tbl}"`,
    );
    sizes.push([place, row?.bytes ?? 0]);
  }
  return sizes;
}

function command(index: number): TurnEvent {
  const at = new Date(0).toISOString();
  const output = `${index}: ${"漢字 and more ".repeat(toolOutputBytes)}`.slice(0, toolOutputBytes / 3);
  const block = {
    type: "tool" as const,
    name: "bash",
    title: `command ${index}`,
    input: { command: "x".repeat(1_000) },
  };
  const done = { output, fullOutputBytes: 5_000_000, status: "completed" as const, startedAt: at, completedAt: at };
  return { type: "block", index, block: { ...block, ...done } };
}

test("a turn of hundreds of long outputs can be read, streamed and handed over", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("Run everything.");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  for (let index = 0; index < commandCount; index++) link.send(index + 2, command(index));
  await link.tell(commandCount + 2, textBlock(commandCount, "The last word."));
  await link.tell(commandCount + 3, completed);
  await link.untilAcked(commandCount + 3);

  const sum = await countStorage(driver);
  const [asked, answered] = await driver.messages();
  expect((await sum()).mostRowsRead).toBeLessThan(500);
  expect(asked?.content).toBe("Run everything.");
  expect(answered?.blocks).toHaveLength(commandCount + 1);
  expect(answered?.blocks).toEqual([
    ...Array.from({ length: commandCount }, (_, index) => {
      const event = command(index);
      return event.type === "block" ? event.block : null;
    }),
    { type: "text", content: "The last word." },
  ]);
  for (const [column, bytes] of await largestValues(driver)) expect([column, bytes < rowBytes]).toEqual([column, true]);

  // The log no longer reaches back to the beginning, so a subscriber gets a snapshot.
  const reader = await openSubscriber(driver.session(), turnId);
  while (!reader.isClosed()) await reader.more();
  expect(reader.largestFrame()).toBeLessThan(400_000);
  expect(reader.events.filter(({ event }) => event === "block")).toHaveLength(commandCount + 2);

  await driver.sandbox.behave("lacks-conversation");
  await driver.startTurn("And what did you do?");
  await driver.settled();
  const { handover } = (await driver.sandbox.requests()).at(-1)?.conversation ?? {};
  expect(handover).toContain("command 499");
  expect(handover).toContain("The last word.");
  expect(handover?.length).toBeLessThanOrEqual(100_000);
});

test("an answer that is too long for the handover is handed over by its end", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("Write a book.");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  for (let index = 0; index < 4; index++)
    await link.tell(index + 2, textBlock(index, `${"word ".repeat(10_000)}end of ${index}.`));
  await link.tell(6, completed);
  await driver.sandbox.behave("lacks-conversation");
  await driver.startTurn("Go on.");
  await driver.settled();
  const { handover } = (await driver.sandbox.requests()).at(-1)?.conversation ?? {};
  expect(handover).toMatch(/^….*end of 2\.\n.*end of 3\.$/s);
  expect(handover?.length).toBeLessThanOrEqual(100_000);
});

test("the log of live events keeps the newest within limits of number and size, never reuses an id, and costs when full what it cost empty", async () => {
  const driver = await beginSession();
  const appendPieces = (count: number) =>
    runInDurableObject(driver.session(), (_, { storage }) => {
      const log = createLiveEvents(storage);
      for (let piece = 0; piece < count; piece++)
        log.append({ type: "answer-text", turnId: "many", messageId: "m", place: 0, delta: `${piece}` });
    });
  await appendPieces(13_000);
  const cost = await countStorage(driver);
  await appendPieces(300);
  const { rowsRead, rowsWritten } = await cost();
  expect([rowsWritten, rowsRead]).toEqual([300, expect.toSatisfy((read) => read <= 2_000)]);
  await runInDurableObject(driver.session(), (_, { storage }) => {
    const log = createLiveEvents(storage);
    const { oldest, newest } = log.span();
    expect(newest - oldest).toBe(11_999);
    expect(log.findTurnBeginning("many")).toBeNull();

    const large = "x".repeat(1_000_000);
    for (let count = 0; count < 40; count++) {
      const block = { type: "text" as const, content: large };
      log.append({ type: "answer-block", turnId: "large", messageId: "m", place: 0, block });
    }
    expect(log.span().newest).toBe(newest + 40);
    expect(log.span().newest - log.span().oldest).toBeLessThan(17);
  });
});

test("the three-hundredth model call of a turn reads as few rows as its first", async () => {
  const driver = await beginSession(null, { spendLimitUsd: 100 });
  const turnId = await driver.startTurn("hello");
  const payer = { type: "workspace" } as const;
  const tokens = { input: 500, cacheRead: 0, cacheWrite: 0, output: 400 };
  const rowsRead = async () => {
    await driver.settled();
    const cost = await countStorage(driver);
    const opened = await driver.session().startModelCall({ turnId, generation: 1 }, { payer, provider: "anthropic" });
    if (opened.type !== "open") throw new Error(opened.message);
    await opened.counter.count({ id: crypto.randomUUID(), tokens });
    return (await cost()).rowsRead;
  };
  await rowsRead();
  const early = await rowsRead();
  const columns = "work_id, payer, input_tokens, cached_tokens, output_tokens, nano_usd, at, spent_nano_usd";
  await driver.sql(
    `WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 300)
     INSERT INTO model_calls (id, ${columns}) SELECT 'many-' || n, ${columns} FROM many, (SELECT * FROM model_calls LIMIT 1)`,
  );
  expect(await rowsRead()).toBeLessThan(early + 20);
});

/** Runs messages through the queue, as many at a time as it holds. */
async function runMessages(driver: SessionDriver, count: number): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const batch = Math.min(count - sent, queueSize + 1);
    for (let place = 0; place < batch; place++) await driver.send(`message ${sent + place}`);
    for (let place = 0; place < batch; place++) await runTurn(driver, (await driver.state()).chat.turn?.id ?? "");
    sent += batch;
  }
}

async function runTurn(driver: SessionDriver, turnId: string): Promise<void> {
  const link = await driver.link(turnId);
  link.send(1, started);
  link.send(2, textBlock(0, "Done, "));
  link.send(3, { type: "text", index: 0, delta: "and done." });
  link.send(4, completed);
  await link.untilAcked(4);
}

/**
 * The storage cost of the calls that users make and of one turn: the least of a few runs, because
 * effects overlap differently.
 */
async function costs(driver: SessionDriver): Promise<Record<string, StorageCost>> {
  const found = await costsOnce(driver);
  for (let again = 1; again < costTimes; again++) {
    for (const [what, cost] of Object.entries(await costsOnce(driver))) {
      if (cost.rowsRead < (found[what]?.rowsRead ?? 0)) found[what] = cost;
    }
  }
  return found;
}

async function costsOnce(driver: SessionDriver): Promise<Record<string, StorageCost>> {
  const found: Record<string, StorageCost> = {};
  async function cost<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const sum = await countStorage(driver);
    const result = await work();
    await driver.settled();
    found[what] = await sum();
    return result;
  }
  const turnId = await cost("send", () => driver.startTurn("one more"));
  const link = await cost("link", () => driver.link(turnId));
  await cost("start", () => link.tell(1, started));
  await cost("block", () => link.tell(2, textBlock(0, "a")));
  await cost("text", () => link.tell(3, { type: "text", index: 0, delta: "b" }));
  await cost("queue", () => driver.send("waits"));
  const [waiting] = (await driver.state()).chat.upNext;
  await cost("steer", async () => {
    const steered = driver.steer(waiting?.id ?? "");
    await link.received("steer");
    const [steer] = (await driver.state()).chat.steers;
    await link.tell(4, { type: "steer", steerId: steer?.steerId ?? "", outcome: "taken" });
    await steered;
  });
  await cost("poll", () => driver.session().turn(turnId));
  await cost("jobs", () => driver.session().turns(1, 25));
  await cost("read", async () => await driver.session().read());
  await cost("reader", async () => (await openSubscriber(driver.session())).catchUp());
  await cost("end", () => link.tell(5, completed));
  expect((await driver.state()).chat.upNext).toEqual([]);
  return found;
}

test("the three-hundredth turn costs as much as the thirtieth, and the state that the rules read does not grow", async () => {
  const driver = await beginSession();
  const [first, ...others] = batches;
  await runMessages(driver, first);
  await (await openSubscriber(driver.session())).catchUp();
  const early = await costs(driver);
  const stateBytes = async () => JSON.stringify(await driver.state()).length;
  const earlyBytes = await stateBytes();
  for (const batch of others) {
    await runMessages(driver, batch);
    await driver.settled();
  }
  const late = await costs(driver);

  for (const [what, { statements, rowsRead, rowsWritten }] of Object.entries(late)) {
    const than = early[what] ?? { statements: 0, rowsRead: 0, rowsWritten: 0 };
    // What an effect finds to do depends on its time, and so does how often the alarm is set: each
    // time reads a few rows.
    const more = [statements - than.statements, rowsRead - than.rowsRead, rowsWritten - than.rowsWritten];
    expect([what, more.map((count) => Math.max(count - 10, 0))]).toEqual([what, [0, 0, 0]]);
  }
  expect((await stateBytes()) - earlyBytes).toBeLessThan(10);
  const sum = await countStorage(driver);
  const messages = await driver.messages();
  // However long the conversation, only a small page of it is in memory at a time.
  expect((await sum()).mostRowsRead).toBeLessThan(500);
  const contents = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(contents.filter((content) => content?.startsWith("message "))).toEqual([
    ...batches.flatMap((length) => Array.from({ length }, (_, place) => `message ${place}`)),
  ]);
  expect(new Set(messages.map(({ jobId }) => jobId)).size).toBe(turnCount + 2 * costTimes);
  for (const [column, bytes] of await largestValues(driver)) expect([column, bytes < rowBytes]).toEqual([column, true]);
  const row = await env.DB.prepare("SELECT count(*) AS jobs FROM jobs WHERE owner_id = ?1").bind(driver.id).first();
  expect(row).toEqual({ jobs: turnCount + 2 * costTimes });
}, 180_000);
