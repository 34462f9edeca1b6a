// Compaction: a conversation becomes a summary when a person asks for it, and by itself when it
// fills the model's context window.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Compaction, TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { getOutput, getText } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

let commands = 0;
const compaction = (start: TurnStart, changes: Partial<Compaction> = {}): Compaction => ({
  commandId: `command-${++commands}`,
  model: start.model,
  conversationId: start.conversation.id,
  profile: start.profile,
  focus: "",
  ...changes,
});
const compact = (wanted: Compaction) => world.program.call("POST", "/compactions", wanted);
const readEntries = async (id: string): Promise<{ type: string; summary?: string }[]> => {
  const file = await readFile(join(world.program.root, `state/conversations/${id}.jsonl`), "utf8");
  return file.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
};
const readCompactions = async (id: string) => (await readEntries(id)).filter(({ type }) => type === "compaction");
const next = (start: TurnStart) => ({ conversation: { ...start.conversation, isNew: false } });

test("a conversation is summarized on request, and the next turn continues it", async () => {
  const { start, service } = await world.runTurn([{ bash: "echo one" }, { say: "The first answer." }]);
  await service.ended();
  expect(await compact(compaction(start, { focus: "the names" }))).toEqual({ status: 200, body: { compacted: true } });
  const [entry, ...more] = await readCompactions(start.conversation.id);
  expect(entry?.summary).toContain("The practice model wrote this summary");
  expect(more).toEqual([]);

  const second = await world.runTurn([{ bash: "echo two" }, { say: "The second answer." }], next(start));
  expect(await second.service.ended()).toEqual({ status: "completed" });
  expect(getOutput(second.service.received)).toBe("two\n");
  const third = await world.runTurn("And without a script?", next(start));
  expect(await third.service.ended()).toEqual({ status: "completed" });
  expect(getText(third.service.received)).toContain("practice model");
});

test("an empty conversation is not summarized", async () => {
  const { start } = await world.newTurn([]);
  expect(await compact(compaction(start))).toEqual({ status: 200, body: { compacted: false } });
  const { service } = await world.runTurn([{ say: "hello" }], { conversation: start.conversation });
  await service.ended();
  expect(await compact(compaction(start))).toEqual({ status: 200, body: { compacted: true } });
  expect(await compact(compaction(start))).toEqual({ status: 200, body: { compacted: false } });
});

test("a repeated request gets the same result, and summarizes once", async () => {
  const { start, service } = await world.runTurn([{ say: "hello" }]);
  await service.ended();
  const wanted = compaction(start);
  const answers = await Promise.all([compact(wanted), compact(wanted)]);
  expect([...answers, await compact(wanted)]).toEqual(Array(3).fill({ status: 200, body: { compacted: true } }));
  expect(await readCompactions(start.conversation.id)).toHaveLength(1);
});

test("nothing is compacted during a turn, and no turn begins during a compaction", async () => {
  const gate = await closedGate();
  const { start, service } = await world.runTurn([{ bash: gate.command }, { say: "done" }]);
  expect(await compact(compaction(start))).toMatchObject({ status: 409, body: { code: "TURN_RUNNING" } });
  gate.open();
  await service.ended();
  const compacting = compact(compaction(start, { model: { ...start.model, baseUrl: `${world.api.url}/slow` } }));
  world.api.answers.push({ status: 200, isSlow: true });
  await until("the model's request", () => world.api.calls.find(({ path }) => path.startsWith("/slow")));
  const turn = await world.newTurn([{ say: "never" }], next(start));
  expect(await world.program.call("POST", "/turns", turn.start)).toMatchObject({
    status: 409,
    body: { code: "TURN_RUNNING" },
  });
  expect(await compact(compaction(start))).toMatchObject({ status: 409, body: { code: "TURN_RUNNING" } });
  world.api.drop();
  await compacting;
  await until("room", async () => (await world.program.call("POST", "/turns", turn.start)).status === 202);
  expect(await turn.service.ended()).toEqual({ status: "completed" });
});

test("an unavailable model is reported without the token, and the conversation does not change", async () => {
  const { start, service } = await world.runTurn([{ say: "hello" }]);
  await service.ended();
  const model = { ...start.model, token: "sk-practice-refused-this-token" };
  const answer = await compact(compaction(start, { model }));
  expect(answer).toMatchObject({ status: 422, body: { code: "COMPACTION_FAILED" } });
  expect(answer.body?.message).toMatch(/^The model provider refused the login\./);
  expect(JSON.stringify(answer.body)).not.toContain(model.token);
  expect(await readCompactions(start.conversation.id)).toEqual([]);
  const again = await world.runTurn([{ say: "still here" }], next(start));
  expect(await again.service.ended()).toEqual({ status: "completed" });
});

/** Prints about ten thousand tokens, and notes that it ran. */
const fill = (step: number) => ({ bash: `echo ${step} >> ran; yes "step ${step} fills the window" | head -c 40000` });

test("a conversation that fills the window is compacted during the turn, as often as needed, and the turn continues", async () => {
  const steps = Array.from({ length: 12 }, (_, at) => fill(at + 1));
  const { start, service } = await world.newTurn([{ bash: "rm -f ran" }, ...steps, { say: "All steps are done." }]);
  start.model.contextWindow = 60_000;
  await world.program.call("POST", "/turns", start);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getText(service.received)).toBe("All steps are done.");
  expect((await readCompactions(start.conversation.id)).length).toBeGreaterThan(1);
  const ran = await readFile(join(world.program.root, "project/ran"), "utf8");
  expect(ran.trim().split("\n").map(Number)).toEqual(steps.map((_, at) => at + 1));
});

test("a steer that arrives while the conversation is too long is taken once, after a compaction", async () => {
  const { start, service } = await world.newTurn([
    { bash: "rm -f ran" },
    ...[1, 2, 3, 4, 5, 6].map(fill),
    { say: "end" },
  ]);
  start.model.contextWindow = 60_000;
  await world.program.call("POST", "/turns", start);
  await until("a command", () => service.received.find(({ event }) => event.type === "block"));
  service.send({ type: "steer", steerId: "on", text: "keep going", attachments: [] });
  expect(await service.ended()).toEqual({ status: "completed" });
  const steers = service.received.flatMap(({ event }) => (event.type === "steer" ? [event.outcome] : []));
  expect(steers).toEqual(["taken"]);
  expect(getText(service.received)).toBe("end");
});

test("a request that the provider refuses as too long is retried once after a compaction, then the turn fails with that error", async () => {
  const { start, service } = await world.runTurn([
    fill(1),
    fill(2),
    fill(3),
    fill(4),
    { fail: "context_window_exceeded" },
  ]);
  expect(await service.ended()).toMatchObject({ status: "failed", errorCode: "context_window_exceeded" });
  expect(await readCompactions(start.conversation.id)).toHaveLength(1);
  const again = await world.runTurn([{ say: "afresh" }], next(start));
  expect(await again.service.ended()).toEqual({ status: "completed" });
});
