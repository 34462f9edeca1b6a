// Turns that only read: they run at the same time as one that works and as each other, and do not
// change the checkout.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readingTurnsMax } from "../../../src/rules/limits.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { type RecordingGateway, startRecordingGateway } from "../support/recording-gateway.ts";
import { getText } from "../support/transcript.ts";
import { profile, startWorld, type World } from "../support/world.ts";

let world: World;
let gateway: RecordingGateway;
beforeAll(async () => {
  world = await startWorld();
  gateway = await startRecordingGateway(world.provider.url);
});
afterAll(async () => {
  await world?.end();
  await gateway?.stop();
});

const reading = { profile: profile({ writes: false, git: "none", tools: ["plan"] }) };
const ls = { tool: { name: "ls", input: { path: "." } } };
/** Longer than any test: the turn continues until it is stopped. */
const endless = [{ sleep: 10 * 60_000 }];
const post = (start: TurnStart) => world.program.call("POST", "/turns", start);
const stop = (turnId: string) => world.program.call("POST", `/turns/${turnId}/stop`);

test("sixteen read beside one that works; a seventeenth is taken once one has ended", async () => {
  const working = await world.runTurn(endless);
  const readers = await Promise.all(Array.from({ length: readingTurnsMax }, () => world.runTurn(endless, reading)));
  const late = await world.newTurn([{ say: "done" }], reading);
  expect(await post(late.start)).toMatchObject({ status: 409, body: { code: "TURN_RUNNING" } });
  const [first, ...others] = readers;
  await stop(first?.start.turnId ?? "");
  await until("the seventeenth is taken", async () => (await post(late.start)).status === 202 || undefined);
  expect(await late.service.ended()).toEqual({ status: "completed" });
  expect(working.service.received.some(({ event }) => event.type === "ended")).toBe(false);
  await Promise.all([...others, working].map(({ start }) => stop(start.turnId)));
  expect(await working.service.ended()).toEqual({ status: "cancelled" });
});

test("concurrent turns sign their own model calls, each at its own provider", async () => {
  const wires = { anthropic: "anthropic-messages", openai: "openai-responses", zai: "anthropic-messages" } as const;
  const names = ["anthropic", "openai", "zai", "anthropic", "openai"] as const;
  const turns = await Promise.all(
    names.map((provider, at) => {
      const model = {
        provider,
        wire: wires[provider],
        baseUrl: `${gateway.url}/${provider}`,
        token: `sk-practice-turn-${at}`,
        id: `practice-${provider}`,
        effort: "medium",
        speed: null,
        contextWindow: 200_000,
        maxOutputTokens: 32_000,
        acceptsImages: false,
      };
      const steps = [{ sleep: 50 }, ls, { sleep: 50 }, ls, { say: `answer ${at}` }];
      // The last one works, the others read.
      return world.runTurn(steps, { model, ...(at === names.length - 1 ? {} : reading) });
    }),
  );
  const outcomes = await Promise.all(turns.map(({ service }) => service.ended()));
  expect(outcomes).toEqual(names.map(() => ({ status: "completed" })));
  for (const [at, name] of names.entries()) {
    expect(getText(turns[at]?.service.received ?? [])).toContain(`answer ${at}`);
    const own = gateway.requests.filter(({ body }) => body.includes(`answer ${at}`));
    expect(own.length).toBeGreaterThan(2);
    expect(new Set(own.map(({ key, path }) => `${key} ${path.split("/")[1]}`))).toEqual(
      new Set([`sk-practice-turn-${at} ${name}`]),
    );
  }
});

test("a member's commit succeeds during a reading turn, which neither deletes a lock nor ends a merge", async () => {
  const { start, service } = await world.runTurn(endless, reading);
  const project = join(world.program.root, "project");
  await until("the turn runs", () => service.received.find(({ event }) => event.type === "started"));
  await writeFile(join(project, "by-hand.txt"), "x");
  const author = { name: "Ada", email: "ada@example.test" };
  expect((await world.program.call("POST", "/git/commit", { message: "By hand", author })).status).toBe(200);
  const left = ["index.lock", "MERGE_HEAD"].map((name) => join(project, ".git", name));
  for (const path of left) await writeFile(path, "");
  await stop(start.turnId);
  await service.ended();
  expect(left.map((path) => existsSync(path))).toEqual([true, true]);
});

test("a reading turn leaves no conversation in the sandbox", async () => {
  const { start, service } = await world.runTurn([{ say: "done" }], reading);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(existsSync(join(world.program.root, "state/conversations", `${start.conversation.id}.jsonl`))).toBe(false);
});
