// The turn link when the network or a program fails: no event is lost, none is counted twice, and
// no turn is run again.
import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linkTurnOver } from "../../../src/sandbox-protocol/protocol.ts";
import { closedGate } from "../../support/gate.ts";
import { until } from "../../support/until.ts";
import { isAlive } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import { getOutput } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world?.end());

const listSeqs = (events: { seq: number }[]) => events.map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

test("a link that breaks during a turn resumes after the last acknowledged event, without gap or repeat", async () => {
  const gate = await closedGate();
  const { service } = await world.runTurn([
    { bash: "echo one" },
    { bash: `${gate.command}; echo two` },
    { bash: "echo three" },
    { say: "done" },
  ]);
  await until("the first output", () => getOutput(service.received).includes("one"));
  service.drop();
  gate.open();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listSeqs(service.received)).toEqual(upTo(service.received.length));
  expect(service.firstSeqs).toHaveLength(2);
});

test("events without an acknowledgement are sent again", async () => {
  const { service, start } = await world.newTurn([{ say: "hello" }]);
  service.acksUpTo = 1;
  await world.program.call("POST", "/turns", start);
  await service.ended();
  const [, ...unacknowledged] = service.received.splice(0);
  service.acksUpTo = Number.POSITIVE_INFINITY;
  service.drop();
  await service.ended();
  expect(service.received).toEqual(unacknowledged);
});

test("the agent does nothing before the service knows that this sandbox runs the turn", async () => {
  const { service, start } = await world.newTurn([{ write: { path: "made.txt", content: "early" } }, { say: "done" }]);
  service.acksUpTo = 0;
  await world.program.call("POST", "/turns", start);
  // Sent twice, and not received: the link breaks, reconnects and sends again.
  await until("the start", () => service.received.length === 1);
  service.drop();
  await until("the start again", () => service.received.length === 2);
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(service.received.map(({ event }) => event.type)).toEqual(["started", "started", "ended"]);
  await expect(access(join(world.program.root, "project/made.txt"))).rejects.toThrow();
});

test("a turn continues while the service is unreachable, and is sent completely afterwards", async () => {
  const { service } = await world.runTurn([{ bash: "sleep 0.3; touch finished" }, { say: "done" }]);
  await until("the start", () => service.received.length > 0);
  service.acksUpTo = service.received.length;
  service.drop();
  const finished = join(world.program.root, "project/finished");
  await until("the work", () =>
    access(finished).then(
      () => true,
      () => false,
    ),
  );
  service.acksUpTo = Number.POSITIVE_INFINITY;
  service.drop();
  expect(await service.ended()).toEqual({ status: "completed" });
  expect([...new Set(listSeqs(service.received))]).toEqual(upTo(service.received.at(-1)?.seq ?? 0));
});

test("a service that accepts no connection for a while, as during a restart, is called until it does", async () => {
  const { start, service } = await world.newTurn([{ bash: "echo ran >> runs" }, { say: "done" }]);
  service.isAway = true;
  await world.program.call("POST", "/turns", start);
  await until("dials that failed", () => service.missed > 2);
  service.isAway = false;
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(await readFile(join(world.program.root, "project/runs"), "utf8")).toBe("ran\n");
});

test("a service that no longer expects the turn ends it", async () => {
  const { start, service } = await world.runTurn([{ bash: "echo $$ > id; exec sleep 600" }, { say: "never said" }]);
  const file = join(world.program.root, "project/id");
  const id = await until("the command", () =>
    readFile(file, "utf8").then(
      (text) => Number(text) || null,
      () => null,
    ),
  );
  service.close(linkTurnOver);
  await until("the end of the turn", async () => (await world.program.call("GET", "/status")).body?.turnId === null);
  expect(isAlive(id)).toBe(false);
  expect((await world.program.call("POST", "/turns", start)).status).toBe(202);
  expect((await world.program.call("GET", "/status")).body?.turnId).toBeNull();
});

test("a turn whose program was killed before the service knew of it runs in the next one, because it has done nothing", async () => {
  const { service, start } = await world.newTurn([{ write: { path: "made.txt", content: "late" } }, { say: "done" }]);
  service.acksUpTo = 0;
  await world.program.call("POST", "/turns", start);
  await until("the start", () => service.received.length === 1);
  await world.program.kill("SIGKILL");
  service.acksUpTo = Number.POSITIVE_INFINITY;
  const restarted = await startProgram({ root: world.program.root });
  try {
    await restarted.call("POST", "/turns", start);
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(await readFile(join(world.program.root, "project/made.txt"), "utf8")).toBe("late");
  } finally {
    await restarted.kill("SIGINT");
  }
});

test.each([
  ["was killed", "SIGKILL"],
  ["ended with its host", "SIGINT"],
] as const)("a turn whose program %s is reported as failed with a reason and does not run again", async (_, signal) => {
  const { start, service } = await world.runTurn([{ bash: "echo $$ >> runs; exec sleep 600" }, { say: "never said" }]);
  const runs = join(world.program.root, "project/runs");
  await until("the command", () =>
    access(runs).then(
      () => true,
      () => false,
    ),
  );
  const command = Number(await readFile(runs, "utf8"));
  await world.program.kill(signal);
  const restarted = await startProgram({ root: world.program.root });
  try {
    expect((await restarted.call("POST", "/turns", start)).status).toBe(202);
    expect(await service.ended()).toEqual({
      status: "failed",
      error: expect.stringContaining("restarted"),
      errorCode: null,
    });
    expect(listSeqs(service.received)).toEqual(upTo(service.received.length));
    expect(await readFile(runs, "utf8")).toBe(`${command}\n`);
    expect(isAlive(command)).toBe(false);
  } finally {
    await restarted.kill("SIGINT");
  }
});

test("the output of a running command is sent while the service asks for it, and after a reconnect when it asks again", async () => {
  const { service, start } = await world.newTurn([
    { bash: "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; while [ ! -e end ]; do sleep 0.05; done" },
    { say: "done" },
  ]);
  const make = (name: string) => writeFile(join(world.program.root, "project", name), "");
  await world.program.call("POST", "/turns", start);
  await until("the command", () => service.received.some(({ event }) => event.type === "block"));
  service.send({ type: "show_outputs" });
  await until("the first line", () => service.printed.at(-1)?.text === "one\n");
  expect(service.printed).toEqual([{ index: 0, at: 0, text: "one\n" }]);
  await make("go");
  await until("the second line", () => service.printed.at(-1)?.at === 4);
  expect(service.printed.at(-1)).toEqual({ index: 0, at: 4, text: "two\n" });
  service.drop();
  await until("the next link", () => service.credentials.length === 2);
  service.send({ type: "show_outputs" });
  await until("both lines again", () => service.printed.at(-1)?.text === "one\ntwo\n");
  service.send({ type: "hide_outputs" });
  await make("end");
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(service.printed).toHaveLength(3);
  expect(getOutput(service.received)).toContain("one\ntwo\n");
});
