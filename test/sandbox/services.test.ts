// The project's services: started with their ports, restarted when they end, replaced when their plan changes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { ServicePlan } from "../../src/sandbox/protocol.ts";
import { until } from "../support/until.ts";
import { isAlive } from "./support/processes.ts";
import { removeProgramFile } from "./support/program.ts";
import { startWorld, type World } from "./support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld();
  await writeFile(join(world.program.root, "project/server.js"), server);
});
afterEach(() => world?.end());
afterAll(removeProgramFile);

const server = `
const answer = (request, response) => response.writeHead(request.url === "/broken" ? 500 : 200).end(JSON.stringify({ id: process.pid, env: process.env }));
require("node:http").createServer(answer).listen(Number(process.env.PORT), "127.0.0.1");
`;
const node = JSON.stringify(process.execPath);
const web = (changes: Partial<ServicePlan> = {}): ServicePlan => ({
  name: "web",
  command: `exec ${node} server.js`,
  endpoints: [{ port: 3000, healthPath: "/" }],
  ...changes,
});
const put = (services: ServicePlan[], restart = false, env: Record<string, string> = {}) =>
  world.program.call("PUT", "/services", { services, env, restart });
const status = async () => (await world.program.call("GET", "/status")).body?.services;
const answers = (name: string) =>
  until(`${name} to answer`, async () => JSON.stringify(await status()).includes(`"name":"${name}","answers":true`));
async function ask(declared = 3000): Promise<{ id: number; env: Record<string, string> }> {
  const ports = (await world.program.call("GET", "/ports")).body;
  return (await fetch(`http://127.0.0.1:${ports?.[declared]}/`)).json() as Promise<{
    id: number;
    env: Record<string, string>;
  }>;
}

test("a service gets its ports by name, the project's environment and nothing of the program's", async () => {
  const endpoints = [{ port: 3000 }, { port: 3001, name: "admin-api" }];
  expect((await put([web({ endpoints, env: { OWN: "1" } })], false, { SHARED: "2" })).status).toBe(204);
  const ports = (await world.program.call("GET", "/ports")).body;
  const { env } = await until("an answer", () => ask().catch(() => null));
  expect(env).toMatchObject({
    PORT: String(ports?.[3000]),
    PORT_ADMIN_API: String(ports?.[3001]),
    OWN: "1",
    SHARED: "2",
  });
  expect(Object.keys(env).filter((name) => /SANDBOX|SECRET|GIT_CONFIG_VALUE/.test(name))).toEqual([]);
});

test("status says which services answer: below 500 on the health path, or a connection", async () => {
  await put([
    web(),
    web({ name: "broken", endpoints: [{ port: 3002, healthPath: "/broken" }] }),
    web({ name: "plain", endpoints: [{ port: 3003 }] }),
    { name: "silent", command: "sleep 600", endpoints: [{ port: 3004 }] },
    { name: "worker", command: "sleep 600", endpoints: [] },
  ]);
  await answers("web");
  await answers("plain");
  expect(await status()).toEqual([
    { name: "web", answers: true },
    { name: "broken", answers: false },
    { name: "plain", answers: true },
    { name: "silent", answers: false },
    { name: "worker", answers: null },
  ]);
});

test("an unchanged service is left alone, a changed one is replaced, one that is gone is ended with all it started", async () => {
  const worker: ServicePlan = {
    name: "worker",
    command: "setsid sleep 600 & echo $! > worker-id; wait",
    endpoints: [],
  };
  await put([web(), worker]);
  await answers("web");
  const first = await ask();
  const workerId = await until("the worker", async () =>
    Number(await readFile(join(world.program.root, "project/worker-id"), "utf8").catch(() => "")),
  );

  await put([web(), worker]);
  expect((await ask()).id).toBe(first.id);
  expect(isAlive(workerId)).toBe(true);

  await put([web({ env: { CHANGED: "yes" } })]);
  await answers("web");
  const second = await ask();
  expect(second.id).not.toBe(first.id);
  expect(second.env).toMatchObject({ CHANGED: "yes" });
  expect([first.id, workerId].map(isAlive)).toEqual([false, false]);

  await put([web({ env: { CHANGED: "yes" } })], true);
  await answers("web");
  expect((await ask()).id).not.toBe(second.id);
});

test("a service that crashes is started again, and its log says so", async () => {
  await put([web()]);
  await answers("web");
  const { id } = await ask();
  process.kill(id, "SIGKILL");
  const again = await until("a new process", () =>
    ask().then(
      (found) => found.id !== id && found,
      () => null,
    ),
  );
  expect(isAlive(again.id)).toBe(true);
  expect(await readFile(join(world.program.root, "state/logs/service-web.log"), "utf8")).toContain("ended with");
});

test("a turn's end leaves the services running", async () => {
  await put([web()]);
  await answers("web");
  const { id } = await ask();
  const { service } = await world.runTurn([{ bash: "true" }, { say: "done" }]);
  await service.ended();
  expect((await ask()).id).toBe(id);
});

test("when the leash is let go, the program goes and takes everything with it", async () => {
  await put([web()]);
  await answers("web");
  const { id } = await ask();
  await world.runTurn([{ bash: "echo $$ > id; exec sleep 600" }, { say: "never said" }]);
  const file = join(world.program.root, "project/id");
  const commandId = await until("the command", async () => Number(await readFile(file, "utf8").catch(() => "")));
  world.program.process.stdin?.end();
  await until("the program's end", () => world.program.process.exitCode !== null);
  expect([id, commandId].map(isAlive)).toEqual([false, false]);
});
