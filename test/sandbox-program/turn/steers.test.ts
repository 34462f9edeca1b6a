// Steers: each is taken up once, at the agent's next request to the model, or given back before the
// turn ends.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { startRecordingGateway } from "../support/recording-gateway.ts";
import { getOutput, getText } from "../support/transcript.ts";
import type { TurnService } from "../support/turn-service.ts";
import { createScript, startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const steer = (service: TurnService, steerId: string, text: string) =>
  service.send({ type: "steer", steerId, text, attachments: [] });
const listSteers = ({ received }: TurnService) =>
  received.flatMap(({ event }) => (event.type === "steer" ? [`${event.steerId} ${event.outcome}`] : []));
const started = (service: TurnService) => until("the start", () => service.received.length > 0);
const firstBlock = (service: TurnService) =>
  until("a block", () => service.received.find(({ event }) => event.type === "block"));
const readConversation = (id: string) => readFile(join(world.program.root, `state/conversations/${id}.jsonl`), "utf8");

test("a steer before the model's first text is part of the turn, and the turn's script continues", async () => {
  const { service } = await world.runTurn([
    { sleep: 3_000 },
    { bash: "echo first" },
    { bash: "echo second" },
    { say: "end" },
  ]);
  await started(service);
  steer(service, "early", "mind the gap");
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSteers(service)).toEqual(["early taken"]);
  expect(getOutput(service.received)).toBe("first\nsecond\n");
  expect(getText(service.received)).toBe("end");
});

test("a steer before the start of the turn waits for it", async () => {
  const { start, service } = await world.newTurn([{ bash: "echo first" }, { bash: "echo second" }, { say: "end" }]);
  service.acksUpTo = 0;
  await world.program.call("POST", "/turns", start);
  await started(service);
  steer(service, "before", "mind the gap");
  await sleep(100);
  expect(listSteers(service)).toEqual([]);
  service.acksUpTo = Number.POSITIVE_INFINITY;
  service.drop();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSteers(service)).toEqual(["before taken"]);
  expect(getOutput(service.received)).toBe("first\nsecond\n");
});

test("a steer without a script does not change the turn's script; one with a script replaces it", async () => {
  const [first, second] = [await closedGate(), await closedGate()];
  const { service } = await world.runTurn([
    { bash: `${first.command}; echo first` },
    { bash: `${second.command}; echo second` },
    { say: "end" },
  ]);
  await firstBlock(service);
  steer(service, "plain", "carry on, please");
  first.open();
  await until("the second command", () =>
    service.received.some(({ event }) => event.type === "block" && event.index === 1),
  );
  steer(service, "scripted", createScript([{ bash: "echo other" }, { say: "another end" }]));
  second.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSteers(service)).toEqual(["plain taken", "scripted taken"]);
  expect(getOutput(service.received)).toBe("first\nsecond\nother\n");
  expect(getText(service.received)).toBe("another end");
});

test("a repeated steer, also over another connection, is taken once", async () => {
  const [first, second] = [await closedGate(), await closedGate()];
  const { start, service } = await world.runTurn([{ bash: first.command }, { bash: second.command }, { say: "end" }]);
  await firstBlock(service);
  steer(service, "again", "only once");
  steer(service, "again", "only once");
  service.drop();
  await until("the next connection", () => service.credentials.length > 1);
  steer(service, "again", "only once");
  first.open();
  await until("the steer", () => listSteers(service).length > 0);
  steer(service, "again", "only once");
  second.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSteers(service)).toEqual(["again taken"]);
  expect((await readConversation(start.conversation.id)).match(/only once/g)).toHaveLength(1);
});

test("steers with the same text are reported in their order", async () => {
  const gate = await closedGate();
  const { start, service } = await world.runTurn([{ bash: gate.command }, { say: "end" }]);
  await firstBlock(service);
  for (const steerId of ["one", "two", "three"]) steer(service, steerId, "hurry up");
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSteers(service)).toEqual(["one taken", "two taken", "three taken"]);
  expect((await readConversation(start.conversation.id)).match(/hurry up/g)).toHaveLength(3);
});

test("a steer that a stopped turn had not taken is returned before its end and stays out of the conversation", async () => {
  const conversation = { id: "stopped-steer", isNew: true, handover: null };
  const { service } = await world.runTurn([{ bash: "sleep 600" }, { say: "never said" }], { conversation });
  await firstBlock(service);
  for (const steerId of ["one", "two"]) steer(service, steerId, "never taken");
  // Over the link, so that it arrives after them.
  service.send({ type: "stop" });
  await service.ended();
  expect(listSteers(service)).toEqual(["one returned", "two returned"]);
  expect(service.received.at(-1)?.event.type).toBe("ended");
  const next = await world.runTurn([{ bash: "echo next" }, { say: "end" }], {
    conversation: { ...conversation, isNew: false },
  });
  expect(await next.service.ended()).toEqual({ status: "completed" });
  expect(listSteers(next.service)).toEqual([]);
  expect(await readConversation("stopped-steer")).not.toContain("never taken");
});

test("a steer that waits during a permanent failure of the model is returned, and the turn fails", async () => {
  const conversation = { id: "failed-steer", isNew: true, handover: null };
  const gateway = await startRecordingGateway(world.provider.url);
  const { start, service } = await world.newTurn([{ bash: "true" }, { sleep: 10_000 }, { fail: "unauthorized" }], {
    conversation,
  });
  const model = { ...start.model, baseUrl: `${gateway.url}/anthropic` };
  expect((await world.program.call("POST", "/turns", { ...start, model })).status).toBe(202);
  await until("the request behind the command", () => gateway.requests.length === 2);
  steer(service, "late", "never taken");
  expect(await service.ended()).toMatchObject({ status: "failed", errorCode: "provider_unauthorized" });
  expect(listSteers(service)).toEqual(["late returned"]);
  expect(await readConversation("failed-steer")).not.toContain("never taken");
  await gateway.stop();
});

test("invalid commands change nothing", async () => {
  const gate = await closedGate();
  const { service } = await world.runTurn([{ bash: `${gate.command}; echo fine` }, { say: "end" }]);
  await firstBlock(service);
  const frames = [
    "",
    "nothing",
    "null",
    "[]",
    "7",
    '"stop"',
    '{"type":"unheard-of"}',
    '{"type":"ack","seq":-3}',
    '{"type":"ack","seq":1.5}',
    '{"type":"ack"}',
    '{"type":"steer"}',
    '{"type":"steer","steerId":"a","text":5,"attachments":[]}',
    '{"type":"steer","steerId":"b","text":"b","attachments":[{"id":"../x"}]}',
  ];
  for (const frame of frames) service.sendText(frame);
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(getOutput(service.received)).toBe("fine\n");
  expect(listSteers(service)).toEqual([]);
});
