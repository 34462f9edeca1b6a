// The output of a running tool: every live reader gets it, it is never stored, and a sandbox that
// sends too much, or about something else, cannot disturb anybody.
import { evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { toolOutputBytes } from "../../../src/rules/limits.ts";
import { linkTurnOver } from "../../../src/sandbox-protocol/protocol.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import {
  beginSession,
  by,
  completed,
  type SessionDriver,
  started,
  textBlock,
  toolBlock,
} from "../support/session-driver.ts";
import { countStorage } from "../support/storage-cost.ts";

let driver: SessionDriver;
let turnId: string;
let link: Awaited<ReturnType<SessionDriver["link"]>>;

/** A turn whose second block is a running tool. */
beforeEach(async () => {
  driver = await beginSession();
  turnId = await driver.startTurn("hello");
  link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, "I run the tests."));
  await link.tell(3, toolBlock(1, "running"));
  await driver.settled();
});

const follow = async (ofTurn: string | null = null, lastEventId: string | null = null) =>
  (await openSubscriber(driver.session(), ofTurn, lastEventId)).catchUp();

type Reader = Awaited<ReturnType<typeof follow>>;
const listOutputs = ({ events }: Reader) => events.filter(({ event }) => event === "output");
const listTexts = (reader: Reader) => listOutputs(reader).map(({ data }) => data.text);

/** Waits until the object has handled every frame that was sent before. */
async function handled(): Promise<void> {
  await link.tell(1, started);
}

/** Waits until a reader has everything that was sent before. */
async function caughtUp(reader: Reader): Promise<void> {
  await handled();
  const before = new Set(reader.events);
  await driver.send("a mark");
  await reader.heard((event) => event.event === "queue" && !before.has(event));
}

describe("readers", () => {
  test("of the session and of the turn get each piece, without an id, after the tool's block", async () => {
    const [ofSession, ofTurn] = [await follow(), await follow(turnId)];
    link.print(1, 0, "✓ one\n");
    link.print(1, 6, "✓ two\n");
    await link.tell(4, toolBlock(1, "completed", "✓ one\n✓ two\n"));
    for (const reader of [ofSession, ofTurn]) {
      await reader.heard(({ data }) => data.block?.status === "completed");
      const messageId = reader.events.find(({ event, data }) => event === "block" && data.index === 1)?.data.messageId;
      const common = { jobId: turnId, messageId, index: 1 };
      expect(reader.events.slice(-3)).toEqual([
        { id: "", event: "output", data: { ...common, at: 0, text: "✓ one\n" } },
        { id: "", event: "output", data: { ...common, at: 6, text: "✓ two\n" } },
        { id: expect.stringMatching(/^\d+$/), event: "block", data: expect.objectContaining({ index: 1 }) },
      ]);
    }
  });

  test("that connect in the middle have the sandbox send all of it again; nobody asks it before", async () => {
    expect(link.commands.some(({ type }) => type === "show_outputs")).toBe(false);
    await follow();
    await follow(turnId);
    await handled();
    const count = () => link.commands.filter(({ type }) => type === "show_outputs").length;
    expect(count()).toBe(2);
    // A reader of another turn, which has ended, is no reason.
    await link.tell(4, completed);
    const next = await driver.startTurn("next");
    const nextLink = await driver.link(next);
    await openSubscriber(driver.session(), turnId);
    expect(nextLink.commands.filter(({ type }) => type === "show_outputs")).toHaveLength(1);
  });

  test("are known to a link that opens after them, such as after a reconnect", async () => {
    const reader = await follow();
    link.close();
    const again = await driver.link(turnId);
    await again.received("show_outputs");
    again.print(1, 0, "all of it");
    await reader.received("output");
    expect(listTexts(reader)).toEqual(["all of it"]);
  });

  test("get the output also after an eviction of the object", async () => {
    const reader = await follow();
    link.print(1, 0, "before ");
    await handled();
    await evictDurableObject(driver.session());
    link.print(1, 7, "after");
    await caughtUp(reader);
    expect(listTexts(reader)).toEqual(["before ", "after"]);
  });

  test("that reconnect continue after the last numbered event, and miss no event", async () => {
    const reader = await follow();
    link.print(1, 0, "lost on the way");
    await reader.received("output");
    const last = reader.events.findLast(({ id }) => id !== "")?.id ?? "";
    reader.leave();
    await link.tell(4, toolBlock(1, "completed", "done"));
    const again = await follow(null, last);
    expect(again.events.map(({ event, data }) => [event, data.block?.output])).toEqual([["block", "done"]]);
  });
});

test("the output writes no row, with a reader and without; a sandbox to which nobody listens is asked to stop", async () => {
  const sum = await countStorage(driver);
  for (let piece = 0; piece < 20; piece++) link.print(1, piece, ".");
  await handled();
  expect(link.commands.some(({ type }) => type === "hide_outputs")).toBe(true);
  const reader = await follow();
  for (let piece = 0; piece < 20; piece++) link.print(1, piece, ".");
  await handled();
  expect((await sum()).rowsWritten).toBe(0);
  await caughtUp(reader);
  expect(listOutputs(reader)).toHaveLength(20);
  const [{ stored } = { stored: -1 }] = await driver.sql<{ stored: number }>(
    "SELECT count(*) AS stored FROM event_log WHERE event LIKE '%output%'",
  );
  expect(stored).toBe(0);
  // The numbers of the link's events continue.
  await link.tell(4, completed);
  expect((await driver.session().turn(turnId))?.status).toBe("completed");
});

test("after the last reader has left, the sandbox is asked to stop with its next piece", async () => {
  const reader = await follow();
  reader.leave();
  while (!link.commands.some(({ type }) => type === "hide_outputs")) {
    link.print(1, 0, "unread");
    await handled();
  }
  expect((await driver.messages()).at(-1)?.blocks[1]).toMatchObject({ output: null, status: "running" });
});

describe("a sandbox that misbehaves", () => {
  test.each<[what: string, index: number]>([
    ["a text", 0],
    ["a block that does not exist", 7],
    ["a tool that has ended", 2],
  ])("prints nothing for %s", async (_what, index) => {
    await link.tell(4, toolBlock(2, "completed", "final"));
    const reader = await follow();
    link.print(index, 0, "forged");
    await caughtUp(reader);
    expect(listOutputs(reader)).toEqual([]);
    expect(link.closeCode()).toBeNull();
  });

  test("and floods: the readers get a limited number of pieces, and all events", async () => {
    const reader = await follow();
    for (let piece = 0; piece < 1_000; piece++) link.print(1, piece, ".");
    await link.tell(4, toolBlock(1, "completed", "done"));
    await reader.heard(({ data }) => data.block?.output === "done");
    expect(listOutputs(reader).length).toBeGreaterThanOrEqual(64);
    expect(listOutputs(reader).length).toBeLessThan(500);
  });

  test.each<[what: string, output: unknown]>([
    ["a piece that is too long", { index: 1, at: 0, text: "x".repeat(toolOutputBytes + 1) }],
    ["an empty piece", { index: 1, at: 0, text: "" }],
    ["a piece without a place", { at: 0, text: "x" }],
    ["a piece before the beginning", { index: 1, at: -1, text: "x" }],
    ["a piece that is no text", { index: 1, at: 0, text: 7 }],
  ])("%s ends the turn", async (_what, output) => {
    link.sendRaw(JSON.stringify({ output }));
    await link.closed();
    expect(link.closeCode()).toBe(linkTurnOver);
    expect((await driver.state()).chat.turn?.status).toBe("failed");
  });

  test("prints after its turn was stopped: the readers get nothing more", async () => {
    const reader = await follow(turnId);
    const stopping = driver.session().cancel(turnId, by);
    await link.received("stop");
    await link.tell(4, { type: "ended", outcome: { status: "cancelled" } });
    await stopping;
    link.print(1, 0, "late");
    await link.closed();
    await reader.closed();
    expect([listOutputs(reader), reader.events.at(-1)?.event]).toEqual([[], "end"]);
  });
});
