// Events that a sandbox may send although it should not: whatever arrives over a turn's link, the
// turn ends with a reason, and the object continues.
import { beforeEach, describe, expect, test } from "vitest";
import { turnLinkBytes } from "../../../src/rules/limits.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { linkTurnOver } from "../../../src/sandbox-protocol/protocol.ts";
import { beginSession, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

let driver: SessionDriver;
let turnId: string;
let link: Awaited<ReturnType<SessionDriver["link"]>>;

beforeEach(async () => {
  driver = await beginSession();
  turnId = await driver.startTurn("hello");
  link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, "kept"));
});

const frame = (event: unknown, seq: unknown = 3) => JSON.stringify({ seq, event });
const tool = { type: "tool", name: "bash", title: "ls", input: {}, output: null, status: "running" };
const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

const unreadable: [what: string, frame: string | ArrayBuffer][] = [
  ["no JSON", "not JSON"],
  ["half an event", frame(textBlock(1, "cut")).slice(0, -9)],
  ["nothing", ""],
  ["null", "null"],
  ["a list", "[]"],
  ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x00, 0x80]).buffer],
  ["JSON nested without end", `{"seq":3,"event":${nested}}`],
  ["an event without a number", JSON.stringify({ event: started })],
  ["a number that is none", frame(completed, "3")],
  ["a number below one", frame(completed, 0)],
  ["a number that is not whole", frame(completed, 3.5)],
  ["a number beyond all numbers", `{"seq":1e400,"event":{"type":"started","agentVersion":"x"}}`],
  ["an event of an unknown type", frame({ type: "explode" })],
  ["a block of an unknown type", frame({ type: "block", index: 1, block: { type: "poem", content: "" } })],
  ["a block whose text is a number", frame({ type: "block", index: 1, block: { type: "text", content: 7 } })],
  ["a block without a place", frame({ type: "block", block: { type: "text", content: "" } })],
  ["a block at a place below zero", frame(textBlock(-1, ""))],
  ["a block at a place no number can tell", `{"seq":3,"event":{"type":"block","index":1e300,"block":{}}}`],
  ["a tool with a status of its own", frame({ type: "block", index: 1, block: { ...tool, status: "flying" } })],
  ["a tool with a date that is none", frame({ type: "block", index: 1, block: { ...tool, startedAt: "soon" } })],
  ["an end with an unknown outcome", frame({ type: "ended", outcome: { status: "exploded" } })],
  ["a failure without a reason", frame({ type: "ended", outcome: { status: "failed" } })],
  ["an end without an outcome", frame({ type: "ended" })],
  ["a steer that was neither taken nor returned", frame({ type: "steer", steerId: "s", outcome: "eaten" })],
  ["a block too large to keep", frame(textBlock(1, "x".repeat(600_000)))],
  ["a piece of text too large to keep", frame({ type: "text", index: 0, delta: "x".repeat(3_000_000) })],
];

test.for(unreadable)(
  "%s ends the turn with an error and stops the work in its sandbox; the session continues",
  async ([, sent]) => {
    await driver.send("next");
    link.sendRaw(sent);
    await link.closed();
    expect(link.closeCode()).toBe(linkTurnOver);
    const { turn, upNext, pause } = (await driver.state()).chat;
    expect(turn).toMatchObject({
      id: turnId,
      status: "failed",
      error: expect.stringMatching(/could not be read\. .*\.$/),
    });
    expect([upNext.map(({ content }) => content), pause?.reason]).toEqual([["next"], "failed"]);
    expect((await driver.messages()).at(-1)?.blocks).toEqual([{ type: "text", content: "kept" }]);
    await driver.resume();
    const nextId = (await driver.state()).chat.turn?.id ?? "";
    const next = await driver.link(nextId);
    await next.tell(1, started);
    await next.tell(2, completed);
    expect((await driver.session().turn(nextId))?.status).toBe("completed");
  },
);

test("a turn that writes without end fails with a message, and the end of a turn at the limit is accepted", async () => {
  await driver.sql(`UPDATE blocks SET cursor = json_set(cursor, '$.bytes', ${turnLinkBytes - 1_000})`);
  await link.tell(3, textBlock(1, "still kept"));
  link.send(4, textBlock(2, "x".repeat(1_000)));
  await link.closed();
  expect(link.closeCode()).toBe(linkTurnOver);
  const error = expect.stringMatching(/more than the 256 MB .*\.$/);
  expect((await driver.state()).chat.turn).toMatchObject({ status: "failed", error });
  expect((await driver.messages()).at(-1)?.blocks).toHaveLength(2);

  const other = await beginSession();
  const otherTurnId = await other.startTurn("hello");
  const otherLink = await other.link(otherTurnId);
  await otherLink.tell(1, started);
  await other.sql(`UPDATE links SET bytes = ${turnLinkBytes}`);
  await otherLink.tell(2, completed);
  expect((await other.state()).chat.turn?.status).toBe("completed");
});

test("the error of a failure is cut to its limit", async () => {
  await link.tell(3, { type: "ended", outcome: { status: "failed", error: "no ".repeat(100_000), errorCode: null } });
  expect((await driver.state()).chat.turn?.error).toBe("no ".repeat(100_000).slice(0, 8_000));
});

describe("unusual but valid events", () => {
  const odd: [what: string, event: TurnEvent][] = [
    ["a block at the last place there is", textBlock(Number.MAX_SAFE_INTEGER, "far")],
    ["text for a block that never was", { type: "text", index: 9, delta: "lost" }],
    ["a steer that never was", { type: "steer", steerId: "none", outcome: "taken" }],
    ["text with half a character and a zero", textBlock(1, "\ud83d \u0000")],
    ["a second start", started],
  ];
  test.for(odd)("%s does not change the turn", async ([, event]) => {
    await link.tell(3, event);
    await link.tell(4, completed);
    expect(link.acked()).toBe(4);
    expect((await driver.state()).chat.turn?.status).toBe("completed");
    expect((await driver.messages()).at(-1)?.blocks[0]).toEqual({ type: "text", content: "kept" });
  });

  test("a text delta for a tool's block changes nothing", async () => {
    const block = { ...tool, status: "running" as const, startedAt: new Date(0).toISOString() };
    await link.tell(3, {
      type: "block",
      index: 1,
      block: { ...block, type: "tool", fullOutputBytes: null, completedAt: null },
    });
    await link.tell(4, { type: "text", index: 1, delta: "more" });
    await link.tell(5, completed);
    expect((await driver.messages()).at(-1)?.blocks[1]).not.toHaveProperty("content");
  });

  test("a text that grows without end never exceeds a row", async () => {
    for (let seq = 3; seq < 13; seq++) await link.tell(seq, { type: "text", index: 0, delta: "漢".repeat(200_000) });
    await link.tell(13, completed);
    expect((await driver.state()).chat.turn?.status).toBe("completed");
    const [{ bytes } = { bytes: 0 }] = await driver.sql<{ bytes: number }>(
      "SELECT max(octet_length(block)) AS bytes FROM blocks",
    );
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(2_000_000);
  });
});
