// The turn link as the session object handles it: every event once, in order, whatever breaks in
// between.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { linkTurnOver, type TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { beginSession, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
let turnId: string;

beforeEach(async () => {
  driver = await beginSession();
  turnId = await driver.startTurn("hello");
});

const answer = async () => (await driver.messages()).find(({ role }) => role === "assistant")?.blocks;

describe("events", () => {
  test("become the conversation, and each is acknowledged", async () => {
    const link = await driver.link(turnId);
    expect(link.acked()).toBe(0);
    await link.tell(1, started);
    await link.tell(2, textBlock(0, "one "));
    await link.tell(3, { type: "text", index: 0, delta: "two" });
    expect(link.acked()).toBe(3);
    expect((await driver.state()).chat.turn).toMatchObject({ status: "running", generation: 1 });
    await link.tell(4, completed);
    expect(link.acked()).toBe(4);
    expect(await answer()).toEqual([{ type: "text", content: "one two" }]);
    expect((await driver.state()).chat.turn?.status).toBe("completed");
  });

  test("that are repeated are acknowledged but not stored twice", async () => {
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, textBlock(0, "a"));
    await link.tell(3, { type: "text", index: 0, delta: "b" });
    await link.tell(3, { type: "text", index: 0, delta: "b" });
    expect(link.acked()).toBe(3);
    expect(await answer()).toEqual([{ type: "text", content: "ab" }]);
  });

  test("after a gap are refused, and the link is closed", async () => {
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(3, textBlock(0, "too early"));
    expect(link.closeCode()).toBe(1002);
    expect(await answer()).toBeUndefined();
    expect((await driver.link(turnId)).acked()).toBe(1);
  });

  test("survive an eviction during a turn, on the same link", async () => {
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, textBlock(0, "before"));
    await evictDurableObject(driver.session());
    await link.tell(3, textBlock(1, "after"));
    await link.tell(4, completed);
    expect(link.acked()).toBe(4);
    expect(await answer()).toEqual([
      { type: "text", content: "before" },
      { type: "text", content: "after" },
    ]);
    expect((await driver.state()).chat.turn?.status).toBe("completed");
  });
});

describe("the cursor", () => {
  const plan = (status: "pending" | "completed"): TurnEvent => ({
    type: "block",
    index: 1,
    block: { type: "plan", items: [{ title: "Speak", status }] },
  });
  const text = (index: number, delta: string): TurnEvent => ({ type: "text", index, delta });
  const told: TurnEvent[] = [
    started,
    textBlock(0, "one "),
    text(0, "two "),
    plan("pending"),
    textBlock(2, "three "),
    text(2, "four "),
    plan("completed"),
    text(2, "five "),
    text(0, "two and a half"),
    text(2, "six "),
    { type: "steer", steerId: "none", outcome: "taken" },
    text(2, "seven "),
    text(9, "of a block that never was"),
    text(2, "eight"),
  ];
  const whole = [
    { type: "text", content: "one two two and a half" },
    { type: "plan", items: [{ title: "Speak", status: "completed" }] },
    { type: "text", content: "three four five six seven eight" },
  ];

  /** Sends events over links of their own, each after an eviction, and each again. */
  async function tellApart(from: number): Promise<void> {
    for (const [at, event] of told.entries()) {
      if (at + 1 < from) continue;
      await evictDurableObject(driver.session());
      const link = await driver.link(turnId);
      expect(link.acked()).toBe(at);
      await link.tell(at + 1, event);
      await link.tell(at + 1, event);
    }
  }

  test("is after the last stored event, whichever block that changed", async () => {
    await tellApart(1);
    expect((await driver.link(turnId)).acked()).toBe(told.length);
    expect(await answer()).toMatchObject(whole);
  });

  test("knows the time of a piece of text: a turn that only writes is not silent", async () => {
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, textBlock(0, "one "));
    const then = Date.now() - 20 * 60_000;
    await driver.sql("UPDATE links SET last_event_at = ?", then);
    await driver.sql("UPDATE turns SET created_at = ?, started_at = ?", then, then);
    await driver.sql("UPDATE reminders SET at = 1");
    await evictDurableObject(driver.session());
    await runDurableObjectAlarm(driver.session());
    expect((await driver.state()).chat.turn?.status).toBe("running");
  });
});

describe("a link", () => {
  test("that reconnects continues after the last stored event", async () => {
    const first = await driver.link(turnId);
    await first.tell(1, started);
    await first.tell(2, textBlock(0, "kept"));
    first.close();
    expect((await driver.link(turnId)).acked()).toBe(2);
  });

  test("that is opened later replaces the earlier one", async () => {
    const first = await driver.link(turnId);
    const second = await driver.link(turnId);
    await first.closed();
    await second.tell(1, started);
    expect(second.acked()).toBe(1);
  });

  test("of an older sandbox generation is closed, because the turn does not belong to it", async () => {
    await (await driver.link(turnId, 2)).tell(1, started);
    const older = await driver.link(turnId, 1);
    expect(older.closeCode()).toBe(linkTurnOver);
    expect((await driver.state()).chat.turn?.generation).toBe(2);
  });

  test("of an ended turn is closed", async () => {
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, completed);
    expect((await driver.link(turnId)).closeCode()).toBe(linkTurnOver);
  });

  test("of an unknown turn is closed", async () => {
    expect((await driver.link(crypto.randomUUID())).closeCode()).toBe(linkTurnOver);
  });
});
