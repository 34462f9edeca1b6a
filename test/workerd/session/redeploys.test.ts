// The object dies repeatedly while a turn runs in its sandbox: the turn is neither lost nor
// duplicated, and a late subscriber gets everything.
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
let turnId: string;
beforeEach(async () => {
  driver = await beginSession();
  turnId = await driver.startTurn("hello");
});

/**
 * A sandbox with its journal: it dials as often as necessary, and sends what is not acknowledged.
 */
function createSandbox(journal: TurnEvent[]) {
  let link: Awaited<ReturnType<SessionDriver["link"]>> | null = null;
  return {
    async tellUpTo(seq: number): Promise<void> {
      if (link === null || link.closeCode() !== null) link = await driver.link(turnId);
      for (let next = (link.acked() ?? 0) + 1; next <= seq; next++) {
        const event = journal[next - 1];
        if (event) await link.tell(next, event);
      }
      if (link.closeCode() !== null && link.closeCode() !== 4001) await this.tellUpTo(seq);
    },
    /** Sends without waiting for a response. */
    send(seq: number): void {
      const event = journal[seq - 1];
      if (event) link?.send(seq, event);
    },
  };
}

const pieces = 40;
const journal: TurnEvent[] = [
  started,
  textBlock(0, "0 "),
  ...Array.from({ length: pieces }, (_, place): TurnEvent => ({ type: "text", index: 0, delta: `${place + 1} ` })),
  completed,
];
const whole = Array.from({ length: pieces + 1 }, (_, place) => `${place} `).join("");

const deaths: [how: string, die: () => Promise<void>][] = [
  ["put to sleep", () => evictDurableObject(driver.session())],
  ["put to sleep, its links cut", () => evictDurableObject(driver.session(), { webSockets: "close" })],
  ["killed", () => abortAllDurableObjects()],
];

test.for(deaths)("ten times %s, and the turn completes with its whole text", async ([, die]) => {
  await driver.send("next");
  const sandbox = createSandbox(journal);
  for (let death = 1; death <= 10; death++) {
    await sandbox.tellUpTo(death * 4);
    // In transit while the object dies: stored or not, it is sent again.
    sandbox.send(death * 4 + 1);
    await die();
    await runDurableObjectAlarm(driver.session());
    expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "running" });
  }
  await sandbox.tellUpTo(journal.length);
  expect((await driver.session().turn(turnId))?.status).toBe("completed");
  const ofTurn = (await driver.messages()).filter(({ jobId }) => jobId === turnId);
  expect(ofTurn.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(ofTurn[1]?.blocks).toEqual([{ type: "text", content: whole }]);
  expect((await driver.state()).chat.turn).toMatchObject({ number: 2, status: "pending" });
});

test("a turn whose sandbox is lost in a crash fails with a reason, and is never forgotten", async () => {
  const sandbox = createSandbox(journal);
  await sandbox.tellUpTo(8);
  await driver.sandbox.behave("takes", { sandbox: "gone" });
  for (let death = 1; death <= 10; death++) await abortAllDurableObjects();
  await expect.poll(async () => (await driver.state()).chat.turn?.status).toBe("failed");
  expect((await driver.state()).chat.turn?.error).toMatch(/^[A-Z].*\.$/);
  expect((await driver.messages()).map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("an end without subscribers is found later in the job, the messages and the events", async () => {
  const reader = await (await openSubscriber(driver.session(), turnId)).catchUp();
  const sandbox = createSandbox(journal);
  await sandbox.tellUpTo(3);
  await reader.received("delta");
  const seen = reader.events.at(-1)?.id ?? null;
  await abortAllDurableObjects();
  await sandbox.tellUpTo(journal.length);
  await abortAllDurableObjects();

  const late = await openSubscriber(driver.session(), turnId, seen);
  while (!late.isClosed()) await late.more();
  expect(late.events.at(-1)).toMatchObject({ event: "end", data: { jobId: turnId, status: "completed" } });
  const told = late.events.flatMap(({ event, data }) => (event === "delta" ? [data.delta] : []));
  expect(`0 1 ${told.join("")}`).toBe(whole);
  expect((await driver.session().turn(turnId))?.status).toBe("completed");
  expect((await driver.messages()).at(-1)?.blocks).toEqual([{ type: "text", content: whole }]);
});

test("text after a crash belongs to its own turn, never to the previous answer", async () => {
  const first = createSandbox([started, textBlock(0, "The first answer."), completed]);
  await driver.send("second question");
  await first.tellUpTo(3);
  const firstId = turnId;
  turnId = (await driver.state()).chat.turn?.id ?? "";
  const second = createSandbox([
    started,
    textBlock(0, "The second "),
    { type: "text", index: 0, delta: "answer." },
    completed,
  ]);
  await second.tellUpTo(2);
  await abortAllDurableObjects();
  await second.tellUpTo(4);
  expect((await driver.messages()).map(({ role, jobId, content, blocks }) => [role, jobId, content, blocks])).toEqual([
    ["user", firstId, "hello", []],
    ["assistant", firstId, null, [{ type: "text", content: "The first answer." }]],
    ["user", turnId, "second question", []],
    ["assistant", turnId, null, [{ type: "text", content: "The second answer." }]],
  ]);
});

test("a question survives its object: it can be read, a plain message answers it, and the queue continues afterwards", async () => {
  const question = { topic: "Colour", question: "Which?", options: [] };
  const asks: TurnEvent = {
    type: "block",
    index: 0,
    block: { type: "clarification", clarificationData: { questions: [question] } },
  };
  await driver.send("waits");
  await createSandbox([started, asks, { type: "ended", outcome: { status: "awaiting_response" } }]).tellUpTo(3);
  await abortAllDurableObjects();
  const { turn, upNext, pause } = (await driver.state()).chat;
  expect([turn?.status, upNext.length, pause?.reason]).toEqual(["awaiting_response", 1, "awaiting_response"]);
  expect((await driver.messages()).at(-1)?.blocks).toEqual([asks.type === "block" ? asks.block : null]);
  turnId = await driver.startTurn("Red.");
  await abortAllDurableObjects();
  await createSandbox([started, completed]).tellUpTo(2);
  const next = await driver.state();
  expect([next.chat.turn?.number, next.chat.turn?.status, next.chat.upNext, next.chat.pause]).toEqual([
    3,
    "pending",
    [],
    null,
  ]);
});
