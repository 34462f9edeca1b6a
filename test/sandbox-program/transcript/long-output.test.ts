// Long output of tools: the transcript shows its ends, storage gets the whole, redacted, and the
// program's memory stays what it was.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ToolBlock } from "../../../src/chat/rules/block.ts";
import { fullToolOutputBytes, toolOutputBytes } from "../../../src/rules/limits.ts";
import type { LinkEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { getOutput, listBlocks } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const listTools = (events: LinkEvent[]) =>
  listBlocks(events).filter((block): block is ToolBlock => block.type === "tool");
const stored = (place: number) => world.api.calls.findLast(({ path }) => path === `/outputs/${place}`);
const peakKibibytes = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${world.program.process.pid}/status`, "utf8"))?.[1]);

test("the whole output is uploaded with the index of its block and the turn's token; the block has its size", async () => {
  const { start, service } = await world.runTurn([{ say: "Look:" }, { bash: "seq 1 20000" }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const whole = Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join("");
  const call = stored(1);
  expect(call?.body.toString()).toBe(whole);
  expect(call).toMatchObject({
    method: "PUT",
    headers: { authorization: `Bearer ${start.model.token}`, "content-length": String(whole.length) },
  });
  const [block] = listTools(service.received);
  expect(block).toMatchObject({ status: "completed", fullOutputBytes: whole.length });
  expect(Buffer.byteLength(block?.output ?? "")).toBeLessThanOrEqual(toolOutputBytes);
  expect(block?.output).toMatch(/^1\n2\n.*\n\[… 108894 bytes in all; the middle is left out …\]\n.*\n20000\n$/s);
  await until("the file is gone", () => readdirSync(join(world.program.root, "tmp", "outputs")).length === 0);
});

test("output that fits into the block is not uploaded", async () => {
  const before = world.api.calls.length;
  const { service } = await world.runTurn([{ bash: "head -c 32768 /dev/zero | tr '\\0' x" }, { say: "done" }]);
  await service.ended();
  expect(listTools(service.received)).toMatchObject([{ fullOutputBytes: null, output: "x".repeat(toolOutputBytes) }]);
  expect(world.api.calls.length).toBe(before);
});

test("the block reports output that storage refuses", async () => {
  world.api.answers.push({ status: 403 });
  const { service } = await world.runTurn([{ bash: "seq 1 20000; exit 3" }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const [block] = listTools(service.received);
  expect(block).toMatchObject({ status: "failed", fullOutputBytes: null });
  expect(block?.output).toContain("108922 bytes in all; the middle is left out and could not be kept");
  expect(block?.output).toMatch(/20000\n\n\nCommand exited with code 3$/);
});

test("a temporary error is retried", async () => {
  world.api.answers.push({ status: 503 });
  const { service } = await world.runTurn([{ bash: "seq 1 20000" }, { say: "done" }]);
  await service.ended();
  expect(listTools(service.received)).toMatchObject([{ fullOutputBytes: 108_894 }]);
});

test("long results of other tools are uploaded too", async () => {
  const { service } = await world.runTurn([
    { bash: "head -c 48000 /dev/zero | tr '\\0' y | fold -w 99 > long.txt" },
    { tool: { name: "read", input: { path: "long.txt" } } },
    { say: "done" },
  ]);
  await service.ended();
  const read = listTools(service.received)[1];
  expect(read?.fullOutputBytes).toBe(48_484);
  expect(stored(1)?.body.length).toBe(48_484);
  expect(read?.output).toContain("the middle is left out");
});

test("a secret is redacted in the transcript and in storage, however it is split", async () => {
  const value = "s3cr3t-value-of-the-project";
  const { start, service } = await world.runTurn(
    [
      { bash: `for i in $(seq 1 4000); do printf '%s' "$API_KEY$SWITCHYARD_API_TOKEN"; done` },
      { bash: `printf '%s' "\${API_KEY:0:9}"; sleep 0.05; printf '%s' "\${API_KEY:9}"` },
      { say: "done" },
    ],
    { env: { API_KEY: value }, secretNames: ["API_KEY"] },
  );
  await service.ended();
  const kept = stored(0)?.body.toString() ?? "";
  expect(kept).toBe("[redacted]".repeat(8_000));
  expect(getOutput(service.received)).not.toContain(value.slice(0, 8));
  expect(getOutput(service.received)).not.toContain(start.api.token.slice(0, 8));
  expect(listTools(service.received)[1]?.output).toBe("[redacted]");
});

test("fifty megabytes are stored up to the limit, with a note, and without memory", async () => {
  const warm = await world.runTurn([{ bash: "head -c 5000000 /dev/zero | tr '\\0' x | fold -w 99" }, { say: "done" }]);
  await warm.service.ended();
  const before = peakKibibytes();
  const { service } = await world.runTurn([
    { bash: "head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99" },
    { say: "done" },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const [block] = listTools(service.received);
  const kept = stored(0)?.body ?? Buffer.alloc(0);
  expect(kept.length).toBeLessThanOrEqual(fullToolOutputBytes);
  expect(kept.length).toBeGreaterThan(fullToolOutputBytes - 1_000);
  expect(kept.subarray(-100).toString()).toContain("50505050 bytes in all; the rest is not kept");
  expect(block?.fullOutputBytes).toBe(kept.length);
  expect(block?.output).toContain("50505050 bytes in all");
  expect(peakKibibytes() - before).toBeLessThan(40_000);
});

test("a stop does not wait for storage that does not respond", async () => {
  world.api.answers.push({ status: 204, isSlow: true });
  const { start, service } = await world.runTurn([
    { bash: "seq 1 20000" },
    { bash: "sleep 600" },
    { say: "never said" },
  ]);
  await until("the second command", () =>
    service.received.find(({ event }) => event.type === "block" && event.index === 1),
  );
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(await service.ended()).toEqual({ status: "cancelled" });
  expect(listTools(service.received)[0]).toMatchObject({
    fullOutputBytes: null,
    output: expect.stringContaining("could not be kept"),
  });
});
