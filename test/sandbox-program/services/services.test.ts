// The project's services: started in order and with their ports, restarted when they end, replaced
// when their plan changes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServicePlan } from "../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../support/until.ts";
import { isAlive } from "../support/processes.ts";
import { node, openServices, server, web } from "../support/services.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let services: Awaited<ReturnType<typeof openServices>>;
beforeEach(async () => {
  world = await startWorld();
  services = await openServices(world);
});
afterEach(() => world?.end());

test("a service gets its ports by name, the project's environment and nothing of the program's", async () => {
  const endpoints = [{ port: 3000 }, { port: 3001, name: "admin-api" }];
  const numbers = expect.stringMatching(/^\d+$/);
  expect((await services.put([web({ endpoints, env: { OWN: "1" } })], false, { SHARED: "2" })).status).toBe(204);
  const { env } = await until("an answer", () => services.ask().catch(() => null));
  expect(env).toMatchObject({
    PORT: numbers,
    PORT_ADMIN_API: numbers,
    OWN: "1",
    SHARED: "2",
  });
  expect(Object.keys(env).filter((name) => /SANDBOX|SECRET|GIT_CONFIG_VALUE/.test(name))).toEqual([]);
});

test("a service gets the variables for its hosts, which its own replace, and keeps them when it is started again", async () => {
  const plan = { services: [web({ env: { OWN: "1" } })], env: {}, restart: false };
  const hostEnv = { HOSTS: ".preview.example.com", OWN: "2" };
  await world.program.call("PUT", "/services", { ...plan, hostEnv });
  await services.answers("web");
  const first = await services.ask();
  expect(first.env).toMatchObject({ HOSTS: ".preview.example.com", OWN: "1" });
  await world.program.call("PUT", "/services", { ...plan, restart: true });
  const again = await until("a new process", async () => {
    const answer = await services.ask().catch(() => null);
    return answer?.id === first.id ? null : answer;
  });
  expect(again.env).toMatchObject({ HOSTS: ".preview.example.com", OWN: "1" });
});

test("status says which services answer: below 500 on the health path, or a connection", async () => {
  await services.put([
    web(),
    web({ name: "plain", endpoints: [{ port: 3003 }] }),
    { name: "worker", command: "sleep 600", endpoints: [] },
    web({ name: "broken", endpoints: [{ port: 3002, healthPath: "/broken" }] }),
    { name: "silent", command: "sleep 600", endpoints: [{ port: 3004 }] },
  ]);
  await services.answers("web");
  await services.answers("plain");
  expect(await services.status()).toEqual([
    { name: "web", answers: true, answeringPorts: [3000] },
    { name: "plain", answers: true, answeringPorts: [3003] },
    { name: "worker", answers: null, answeringPorts: [] },
    { name: "broken", answers: false, answeringPorts: [] },
    { name: "silent", answers: false, answeringPorts: [] },
  ]);
  expect(await services.findRun("web")).toMatchObject({ restarts: 0, lastExit: null, isDone: false, logEnd: "" });
});

test("a server on only one of the loopback addresses answers, with or without a health path", async () => {
  const onlyIpv6 = server.replace("127.0.0.1", "::1");
  await writeFile(services.inProject("ipv6.js"), onlyIpv6);
  const command = `exec ${node} ipv6.js`;
  await services.put([
    web(),
    web({ name: "asked", command, endpoints: [{ port: 3001, healthPath: "/" }] }),
    web({ name: "connected", command, endpoints: [{ port: 3002 }] }),
  ]);
  for (const name of ["web", "asked", "connected"]) await services.answers(name);
});

test("status reports which endpoints of a service answer", async () => {
  await services.put([web({ endpoints: [{ port: 3000 }, { port: 3001, name: "admin" }] })]);
  await until("an answer", () => services.ask().catch(() => null));
  expect(await services.status()).toEqual([{ name: "web", answers: false, answeringPorts: [3000] }]);
});

test("an unchanged service continues, a changed one is replaced, a removed one is ended with all its processes", async () => {
  const worker: ServicePlan = {
    name: "worker",
    command: "setsid sleep 600 & echo $! > worker-id; wait",
    endpoints: [],
  };
  await services.put([web(), worker]);
  await services.answers("web");
  const first = await services.ask();
  const workerId = await services.readId("worker-id");

  await services.put([web(), worker]);
  expect((await services.ask()).id).toBe(first.id);
  expect(isAlive(workerId)).toBe(true);

  await services.put([web({ env: { CHANGED: "yes" } })]);
  await services.answers("web");
  const second = await services.ask();
  expect(second.id).not.toBe(first.id);
  expect(second.env).toMatchObject({ CHANGED: "yes" });
  expect([first.id, workerId].map(isAlive)).toEqual([false, false]);

  await services.put([web({ env: { CHANGED: "yes" } })], true);
  await services.answers("web");
  expect((await services.ask()).id).not.toBe(second.id);
});

test("a crashed service is started again, and its log reports it", async () => {
  await services.put([web()]);
  await services.answers("web");
  const { id } = await services.ask();
  process.kill(id, "SIGKILL");
  const again = await until("a new process", () =>
    services.ask().then(
      (found) => found.id !== id && found,
      () => null,
    ),
  );
  expect(isAlive(again.id)).toBe(true);
  expect(await readFile(join(world.program.root, "shared/logs/service-web.log"), "utf8")).toContain("ended with");
});

test("the end of a turn does not affect the services", async () => {
  await services.put([web()]);
  await services.answers("web");
  const { id } = await services.ask();
  const { service } = await world.runTurn([{ bash: "true" }, { say: "done" }]);
  await service.ended();
  expect((await services.ask()).id).toBe(id);
});

test("when its standard input closes, the program ends with all its processes", async () => {
  await services.put([web()]);
  await services.answers("web");
  const { id } = await services.ask();
  await world.runTurn([{ bash: "echo $$ > id; exec sleep 600" }, { say: "never said" }]);
  const file = services.inProject("id");
  const commandId = await until("the command", async () => Number(await readFile(file, "utf8").catch(() => "")));
  world.program.process.stdin?.end();
  await until("the program's end", () => world.program.process.exitCode !== null);
  expect([id, commandId].map(isAlive)).toEqual([false, false]);
});

describe("services are started in order", () => {
  const gated = (name: string, port: number): ServicePlan => ({
    name,
    command: `until [ -e go ]; do sleep 0.02; done; exec ${node} server.js`,
    endpoints: [{ port, healthPath: "/" }],
  });

  test("a later one starts once the previous one answers", async () => {
    await services.put([
      gated("database", 3100),
      { name: "worker", command: "touch worker-was-here; sleep 600", endpoints: [] },
      web(),
    ]);
    await until("the first one's start", async () =>
      (await services.readLogFile("database")).includes("starts on port"),
    );
    expect(await services.status()).toEqual([
      { name: "database", answers: false, answeringPorts: [] },
      { name: "worker", answers: null, answeringPorts: [] },
      { name: "web", answers: false, answeringPorts: [] },
    ]);
    expect([await services.readLogFile("worker"), await services.readLogFile("web")]).toEqual(["", ""]);
    await writeFile(services.inProject("go"), "");
    await services.answers("web");
    expect(await services.readLogFile("worker")).toContain("worker-was-here");
  });

  test("a newer plan cancels the starts of the previous one", async () => {
    await services.put([gated("database", 3100), web()]);
    await services.put([web({ name: "other" })]);
    await services.answers("other");
    await writeFile(services.inProject("go"), "");
    expect(await services.status()).toEqual([{ name: "other", answers: true, answeringPorts: [3000] }]);
    expect(await services.readLogFile("web")).toBe("");
  });
});
