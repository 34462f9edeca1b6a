// A turn that works in silence, such as a long build: only the heartbeats on its link show that it
// is alive, and it outlives every broken link.
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { linkPing } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { beginSession, completed, type SessionDriver, started, toolBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
let turnId: string;
let beginning: number;
beforeEach(async () => {
  beginning = Date.now();
  driver = await beginSession();
  turnId = await driver.startTurn("Build it.");
});

/** The turn started twenty minutes ago, and has sent nothing since. */
async function silentForLong(): Promise<void> {
  const then = Date.now() - 20 * 60_000;
  await driver.sql("UPDATE links SET last_event_at = ?", then);
  await driver.sql("UPDATE blocks SET cursor = json_set(cursor, '$.at', ?)", then);
  await driver.sql("UPDATE turns SET created_at = ?, started_at = ?", then, then);
  await evictDurableObject(driver.session());
}

async function watch(): Promise<void> {
  await driver.sql("UPDATE reminders SET at = 1");
  await runDurableObjectAlarm(driver.session());
}

const status = async () => (await driver.state()).chat.turn?.status;

const lastSign = async () => (await driver.sql<{ at: number }>("SELECT last_event_at AS at FROM links"))[0]?.at;

async function workingLink() {
  const link = await driver.link(turnId);
  await link.tell(1, started);
  return link;
}

describe("a turn without events for a long time", () => {
  test("continues while its sandbox sends heartbeats", async () => {
    const link = await workingLink();
    await silentForLong();
    link.sendRaw(linkPing);
    await link.pong();
    await watch();
    expect(await status()).toBe("running");
  });

  test("gives a reader the time of its last heartbeat, until it has ended", async () => {
    const link = await workingLink();
    await silentForLong();
    link.sendRaw(linkPing);
    await link.pong();
    expect((await driver.session().turn(turnId))?.lastSignAt).toBeGreaterThanOrEqual(beginning);
    await link.tell(2, completed);
    expect(await driver.session().turn(turnId)).not.toHaveProperty("lastSignAt");
  });

  test("continues if its link closed after a heartbeat and is not open again yet", async () => {
    const link = await workingLink();
    await silentForLong();
    link.sendRaw(linkPing);
    await link.pong();
    link.close();
    await expect.poll(lastSign).toBeGreaterThan(beginning);
    await watch();
    expect(await status()).toBe("running");
  });

  test("continues if its link is open again but has no heartbeat yet", async () => {
    await workingLink();
    await abortAllDurableObjects();
    await silentForLong();
    await driver.link(turnId);
    await watch();
    expect(await status()).toBe("running");
  });

  test("continues if its object restarted right after a check", async () => {
    const link = await workingLink();
    await silentForLong();
    link.sendRaw(linkPing);
    await link.pong();
    await watch();
    await abortAllDurableObjects();
    await watch();
    expect(await status()).toBe("running");
  });

  test("fails if there was no heartbeat either", async () => {
    await workingLink();
    await silentForLong();
    await watch();
    expect((await driver.state()).chat.turn).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/no sign of life/),
    });
    await driver.settled();
    expect(await driver.sandbox.asked()).toContain("discard 1");
  });

  test("leaves no tool running when it fails, and readers see that before its end", async () => {
    const link = await workingLink();
    await link.tell(2, toolBlock(0, "completed", "ok"));
    await link.tell(3, toolBlock(1, "running"));
    await link.tell(4, toolBlock(2, "running"));
    await silentForLong();
    const reader = await (await openSubscriber(driver.session(), turnId)).catchUp();
    await watch();
    await reader.heard(({ event }) => event === "end");
    const changed = reader.events.slice(-4).map(({ event, data }) => [event, data.index, data.block?.status]);
    expect(changed.filter(([event]) => event === "block")).toEqual([
      ["block", 1, "failed"],
      ["block", 2, "failed"],
    ]);
    const [, answer] = await driver.messages();
    expect(answer?.blocks).toMatchObject([
      { status: "completed", output: "ok" },
      { status: "failed", output: "", completedAt: expect.any(String) },
      { status: "failed", output: "", completedAt: expect.any(String) },
    ]);
  });
});

test("a lost alarm of a running object is set again when the sweep finds the turn", async () => {
  await driver.settled();
  const alarm = () => runInDurableObject(driver.session(), (_, { storage }) => storage.getAlarm());
  const armedFor = await alarm();
  await runInDurableObject(driver.session(), (_, { storage }) => storage.deleteAlarm());
  expect(await alarm()).toBeNull();
  await driver.session().wake();
  expect([await alarm(), armedFor]).toEqual([armedFor, expect.any(Number)]);
});
