// Long turns: no event and no block grows large, small pieces are put together, and nothing is lost
// on the way.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BlockEvent } from "../../../sandbox-program/transcript/blocks.ts";
import { createBlocks } from "../../../sandbox-program/transcript/blocks.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import type { LinkEvent, TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { getText, listBlocks } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const textBlockBytes = 128 * 1_024;
const eventBytesMax = 256 * 1_024;
const largest = (events: unknown[]) => Math.max(...events.map((event) => Buffer.byteLength(JSON.stringify(event))));

/** Blocks on their own, whose events are numbered as the journal would. */
function ownBlocks() {
  const events: LinkEvent[] = [];
  const send = (event: TurnEvent) => void events.push({ seq: events.length + 1, event });
  const storage = { keep: async () => true, idle: async () => {}, abort: () => {} };
  return { events, blocks: createBlocks(send, createRedaction(["the-secret"]), storage, new Set()) };
}

test("a long text continues in further blocks of limited size, without losing a character", () => {
  const { events, blocks } = ownBlocks();
  const text = "漢字 and 😀 and more, ".repeat(20_000);
  blocks.take({ type: "text_begin" });
  for (let at = 0; at < text.length; at += 1_000) blocks.take({ type: "text", delta: text.slice(at, at + 1_000) });
  blocks.take({ type: "text_end" });
  blocks.take({ type: "tool_begin", callId: "c", name: "bash", input: {} });
  blocks.close();
  const shown = listBlocks(events);
  expect(getText(events)).toBe(text);
  expect(shown.map(({ type }) => type)).toEqual([...Array(4).fill("text"), "tool"]);
  for (const block of shown) {
    if (block.type === "text") expect(Buffer.byteLength(block.content)).toBeLessThanOrEqual(textBlockBytes);
  }
  expect(largest(events)).toBeLessThan(eventBytesMax);
});

test("a piece that is larger than a block is split, and a secret across the border is redacted", () => {
  const { events, blocks } = ownBlocks();
  const text = `${"x".repeat(textBlockBytes - 4)}the-secret${"y".repeat(2 * textBlockBytes)}`;
  blocks.take({ type: "text_begin" });
  blocks.take({ type: "text", delta: text });
  blocks.close();
  expect(getText(events)).toBe(text.replace("the-secret", "[redacted]"));
  expect(largest(events)).toBeLessThan(eventBytesMax);
});

const say = (content: string): BlockEvent[] => [
  { type: "text_begin" },
  { type: "text", delta: content },
  { type: "text_end" },
];

test("a repeated answer replaces the blocks of the void one", () => {
  const { events, blocks } = ownBlocks();
  for (const event of say("a".repeat(200_000))) blocks.take(event);
  blocks.take({ type: "text_void" });
  for (const event of say("b".repeat(200_000))) blocks.take(event);
  blocks.close();
  expect(getText(events)).toBe("b".repeat(200_000));
});

const isVoid: BlockEvent = { type: "text_void" };
const isFinal: BlockEvent = { type: "text_final" };
const tool: BlockEvent[] = [
  { type: "tool_begin", callId: "c", name: "bash", input: {} },
  { type: "tool_end", callId: "c", output: "", isError: false },
];

test.each<[what: string, events: BlockEvent[], shown: string[]]>([
  [
    "text that was void before a tool is not where the answer is",
    [...say("Half"), isVoid, ...tool, ...say("Done."), isFinal],
    ["", "bash", "Done."],
  ],
  [
    "a complete answer stays when the next one is void",
    [...say("First."), isFinal, ...say("Half"), isVoid, ...say("Second."), isFinal],
    ["First.", "Second."],
  ],
  [
    "blocks that a shorter answer does not need become empty",
    [...say("Half"), ...say("more"), isVoid, ...say("Done."), isFinal, ...say("Next.")],
    ["Done.", "", "Next."],
  ],
  ["void text does not stay at the end", [...say("Half"), isVoid], [""]],
])("%s", (_, given, shown) => {
  const { events, blocks } = ownBlocks();
  for (const event of given) blocks.take(event);
  blocks.close();
  const texts = listBlocks(events).map((block) =>
    block.type === "text" ? block.content : block.type === "tool" ? block.name : block.type,
  );
  expect(texts).toEqual(shown);
});

test("a hundred thousand text deltas are merged into few events", async () => {
  const { events, blocks } = ownBlocks();
  blocks.take({ type: "text_begin" });
  for (let burst = 0; burst < 10; burst++) {
    for (let piece = 0; piece < 10_000; piece++) blocks.take({ type: "text", delta: "word " });
    await sleep(50);
  }
  blocks.close();
  expect(getText(events)).toBe("word ".repeat(100_000));
  expect(events.length).toBeLessThan(100);
});

test("a turn with many tools and long texts arrives completely", async () => {
  const steps = Array.from({ length: 120 }, (_, at) => [
    { say: `${at}: ${"word ".repeat(40)}` },
    { bash: `echo ${at}` },
  ]).flat();
  const { service } = await world.runTurn([...steps, { say: "x".repeat(300_000) }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(service.received.map(({ seq }) => seq)).toEqual(service.received.map((_, at) => at + 1));
  const blocks = listBlocks(service.received);
  expect(blocks.filter(({ type }) => type === "tool")).toHaveLength(120);
  expect(blocks.filter(({ type }) => type === "text")).toHaveLength(123);
  expect(largest(service.received)).toBeLessThan(eventBytesMax);
});
