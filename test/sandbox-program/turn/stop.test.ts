// Stopping a turn: what is left of it, which is nothing.
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { conversationFile, expectHandoverIsNeeded } from "../support/handover.ts";
import { isAlive } from "../support/processes.ts";
import { listBlocks } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const projectFile = (name: string) => join(world.program.root, "project", name);

/**
 * A command that leaves processes in every way a shell knows, each writing its id to a file, and
 * then continues.
 */
const scatter = (goOn: string) =>
  [
    "sleep 600 & echo $! >> ids",
    "setsid sh -c 'echo $$ >> ids; exec sleep 600' &",
    "nohup sh -c 'echo $$ >> ids; exec sleep 600' > /dev/null 2>&1 &",
    "setsid sh -c 'setsid sh -c \"echo \\$\\$ >> ids; exec sleep 600\" & exit' &",
    "env -i PATH=$PATH sh -c 'echo $$ >> ids; exec sleep 600' &",
    "while [ $(wc -l < ids) -lt 5 ]; do sleep 0.01; done; touch scattered",
    goOn,
  ].join("\n");

const scatteredIds = async () => (await readFile(projectFile("ids"), "utf8")).trim().split("\n").map(Number);

const isThere = (name: string) =>
  access(projectFile(name)).then(
    () => true,
    () => false,
  );

test("a stop leaves no process of the turn, and no event follows its end", async () => {
  const { start, service } = await world.runTurn([
    { bash: scatter("sleep 600; echo late > late.txt") },
    { say: "never said" },
  ]);
  await until("the processes", () => isThere("scattered"));
  const ids = await scatteredIds();
  expect(ids.map(isAlive)).toEqual(ids.map(() => true));

  expect((await world.program.call("POST", `/turns/${start.turnId}/stop`)).status).toBe(204);
  expect(ids.map(isAlive)).toEqual(ids.map(() => false));
  expect(await service.ended()).toEqual({ status: "cancelled" });
  const count = service.received.length;
  await sleep(200);
  expect(service.received).toHaveLength(count);
  expect(service.received.at(-1)?.event.type).toBe("ended");
  expect(listBlocks(service.received)).toMatchObject([{ type: "tool", status: "cancelled" }]);
  expect(await isThere("late.txt")).toBe(false);
});

test("a completed turn leaves no process either", async () => {
  const { service } = await world.runTurn([{ bash: `rm -f ids scattered; ${scatter("true")}` }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const ids = await scatteredIds();
  expect(ids).toHaveLength(5);
  expect(ids.map(isAlive)).toEqual(ids.map(() => false));
});

test("a stop over the link ends the turn while the model is still answering", async () => {
  const { service } = await world.runTurn([{ sleep: 600_000 }, { say: "never said" }]);
  await until("the start", () => service.received.find(({ event }) => event.type === "started"));
  service.send({ type: "stop" });
  expect(await service.ended()).toEqual({ status: "cancelled" });
});

test("a steer that was not taken when the turn is stopped is returned", async () => {
  const { service } = await world.runTurn([{ bash: "sleep 600" }, { say: "never said" }]);
  await until("the command", () => service.received.find(({ event }) => event.type === "block"));
  service.send({ type: "steer", steerId: "untaken", text: "turn left", attachments: [] });
  service.send({ type: "stop" });
  await service.ended();
  const steers = service.received.filter(({ event }) => event.type === "steer").map(({ event }) => event);
  expect(steers).toEqual([{ type: "steer", steerId: "untaken", outcome: "returned" }]);
});

test("a stop that arrives before the start of its turn prevents the turn", async () => {
  const { start, service } = await world.newTurn([{ bash: "touch ran.txt" }, { say: "done" }]);
  expect((await world.program.call("POST", `/turns/${start.turnId}/stop`)).status).toBe(204);
  expect((await world.program.call("POST", "/turns", start)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "cancelled" });
  expect(await isThere("ran.txt")).toBe(false);
});

test("after a stop the next turn of the conversation works", async () => {
  const conversation = { id: "stopped-talk", isNew: true, handover: null };
  const first = await world.runTurn([{ bash: "sleep 600" }, { say: "never said" }], { conversation });
  await until("the command", () => first.service.received.find(({ event }) => event.type === "block"));
  await world.program.call("POST", `/turns/${first.start.turnId}/stop`);
  const second = await world.runTurn([{ bash: "echo again" }, { say: "done" }], {
    conversation: { ...conversation, isNew: false },
  });
  expect(await second.service.ended()).toEqual({ status: "completed" });
});

test("a conversation that was handed over to a turn which ended before its model was asked is asked for again", async () => {
  const neverComes = world.api.attach("a.txt", "text/plain", "a", { status: 200, isSlow: true });
  const conversation = { id: "moved-talk", isNew: false, handover: "User: hello\nAssistant: hi" };
  const { service } = await world.runTurn([{ say: "never said" }], { conversation, attachments: [neverComes] });
  // The agent was opened before.
  await until("the download", () => world.api.openCalls() > 0);
  service.send({ type: "stop" });
  expect(await service.ended()).toEqual({ status: "cancelled" });
  await expectHandoverIsNeeded(world, conversation.id);
});

test("so is one of which an earlier program wrote only the header", async () => {
  const header = { type: "session", version: 3, id: "opened", timestamp: new Date(0).toISOString(), cwd: "/" };
  await mkdir(dirname(conversationFile(world, "opened-talk")), { recursive: true });
  await writeFile(conversationFile(world, "opened-talk"), `${JSON.stringify(header)}\n`);
  await expectHandoverIsNeeded(world, "opened-talk");
});
