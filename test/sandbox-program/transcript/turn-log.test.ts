// The log of a turn: what it contains, and that no secret is in it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTurnLog } from "../../../sandbox-program/transcript/turn-log.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import type { LinkEvent, TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { profile, startWorld, type World } from "../support/world.ts";

const secret = "a-secret-value-0123456789";
const joinLines = (events: TurnEvent[]) =>
  events.flatMap((event) => (event.type === "log" ? [event.lines] : [])).join("");
const joinLog = (received: LinkEvent[]) => joinLines(received.map(({ event }) => event));

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

test("it contains model calls, retries, tools and errors, each with its time", async () => {
  const tool = (name: string, input: object) => ({ tool: { name, input } });
  const steps = [tool("ls", { path: "." }), tool(secret, {}), { fail: "overloaded" }];
  const secrets = { env: { VALUE: secret }, secretNames: ["VALUE"] };
  const { service } = await world.runTurn(steps, { profile: profile({ writes: false, keepsLog: true }), ...secrets });
  expect(await service.ended()).toMatchObject({ status: "failed" });
  const log = joinLog(service.received);
  for (const line of log.trimEnd().split("\n")) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z ./);
  expect(log).toMatch(/ agent opened: pi .*anthropic/);
  expect(log).toMatch(/ model call: toolUse, \d+ ms, \d+ tokens in, \d+ out\n/);
  expect(log).toMatch(/ tool ls: done, \d+ ms\n/);
  expect(log).toMatch(/ tool \[redacted\]: failed, \d+ ms\n/);
  expect(log).toMatch(/ try 1 of \d in \d+ ms: /);
  expect(log).toMatch(/ the turn ended: failed: .*\n$/);
  expect(JSON.stringify(service.received)).not.toContain(secret);
});

test("a profile that keeps none sends none", async () => {
  const { service } = await world.runTurn([{ say: "done" }]);
  await service.ended();
  expect(joinLog(service.received)).toBe("");
});

test("a secret at the place where a long line is cut is redacted before", () => {
  const sent: TurnEvent[] = [];
  const log = createTurnLog(true, (event) => sent.push(event), createRedaction([secret]));
  for (let before = 1_970; before <= 2_000; before += 5) log(`${"x".repeat(before)}${secret}${"y".repeat(100)}`);
  expect(joinLines(sent)).not.toContain(secret.slice(0, 4));
  log("one\ntwo");
  expect(joinLines(sent)).toMatch(/ one ⏎ two\n$/);
});
