// The turn link, as the session object holds it: every event once, in order, whatever breaks between.
import { evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { linkTurnOver } from "../../../src/sandbox/protocol.ts";
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
