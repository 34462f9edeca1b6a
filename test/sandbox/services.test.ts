// The project's services: started with their ports, restarted when they end, replaced when their plan changes.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServicePlan } from "../../src/sandbox/protocol.ts";
import { until } from "../support/until.ts";
import { isAlive } from "./support/processes.ts";
import { removeProgramFile } from "./support/program.ts";
import { blocksOf } from "./support/transcript.ts";
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

const logOf = (name: string) =>
  readFile(join(world.program.root, `state/logs/service-${name}.log`), "utf8").catch(() => "");
const idIn = (file: string) =>
  until(
    file,
    async () => Number(await readFile(join(world.program.root, "project", file), "utf8").catch(() => "")) || null,
  );

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
    web({ name: "plain", endpoints: [{ port: 3003 }] }),
    { name: "worker", command: "sleep 600", endpoints: [] },
    web({ name: "broken", endpoints: [{ port: 3002, healthPath: "/broken" }] }),
    { name: "silent", command: "sleep 600", endpoints: [{ port: 3004 }] },
  ]);
  await answers("web");
  await answers("plain");
  expect(await status()).toEqual([
    { name: "web", answers: true },
    { name: "plain", answers: true },
    { name: "worker", answers: null },
    { name: "broken", answers: false },
    { name: "silent", answers: false },
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
  const workerId = await idIn("worker-id");

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

describe("services are started in order", () => {
  const gated = (name: string, port: number): ServicePlan => ({
    name,
    command: `until [ -e go ]; do sleep 0.02; done; exec ${node} server.js`,
    endpoints: [{ port, healthPath: "/" }],
  });

  test("a later one once the one before it answers", async () => {
    await put([
      gated("database", 3100),
      { name: "worker", command: "touch worker-was-here; sleep 600", endpoints: [] },
      web(),
    ]);
    await until("the first one's start", async () => (await logOf("database")).includes("starts on port"));
    expect(await status()).toEqual([
      { name: "database", answers: false },
      { name: "worker", answers: null },
      { name: "web", answers: false },
    ]);
    expect([await logOf("worker"), await logOf("web")]).toEqual(["", ""]);
    await writeFile(join(world.program.root, "project/go"), "");
    await answers("web");
    expect(await logOf("worker")).toContain("worker-was-here");
  });

  test("a plan that takes the place of one that is still being carried out ends it", async () => {
    await put([gated("database", 3100), web()]);
    await put([web({ name: "other" })]);
    await answers("other");
    await writeFile(join(world.program.root, "project/go"), "");
    expect(await status()).toEqual([{ name: "other", answers: true }]);
    expect(await logOf("web")).toBe("");
  });
});

describe("a service that does not run", () => {
  test("because its command does not exist is tried again, and its log says why", async () => {
    await put([web({ command: "no-such-program --serve" })]);
    const log = await until("a second try", async () => {
      const text = await logOf("web");
      return text.split("no-such-program: command not found").length > 2 && text;
    });
    expect(log).toMatch(
      /\[web ended with exit code 127; starting again in 500 ms\]\n\[web starts on port \d+: no-such/,
    );
    expect(log).toContain("starting again in 1000 ms");
  });

  test("because its folder does not exist is tried again, and its log says why", async () => {
    await put([web({ cwd: "frontend" })]);
    await until("a note", async () => (await logOf("web")).includes("there is no folder frontend; starting again"));
    await mkdir(join(world.program.root, "project/frontend"));
    await writeFile(join(world.program.root, "project/frontend/server.js"), server);
    await answers("web");
  });

  test("because it ended well has done its work, when it has no endpoint", async () => {
    await put([{ name: "migrations", command: "echo migrated >> done", endpoints: [] }, web()]);
    await answers("web");
    await until("its end", async () => (await logOf("migrations")).includes("it has done its work"));
    expect(await readFile(join(world.program.root, "project/done"), "utf8")).toBe("migrated\n");
  });

  test("because it ended well is started again, when it has one", async () => {
    await put([web({ command: `if [ -e again ]; then exec ${node} server.js; fi; touch again` })]);
    await answers("web");
    expect(await logOf("web")).toContain("ended with exit code 0; starting again");
  });

  test("because it left its server in the background is let be while that answers", async () => {
    await put([web({ command: `${node} server.js & echo $! > id; until [ -e go ]; do sleep 0.02; done` })]);
    await answers("web");
    const id = await idIn("id");
    await writeFile(join(world.program.root, "project/go"), "");
    // Longer than the first pause before a restart.
    await sleep(1_500);
    expect([isAlive(id), (await ask()).id]).toEqual([true, id]);
    process.kill(id, "SIGKILL");
    await until("another", async () => (await ask().catch(() => ({ id }))).id !== id);
  });
});

describe("a restart in place", () => {
  const stubborn = `trap '' TERM; setsid ${node} server.js & echo $! > id; sleep 600 & wait; sleep 600`;

  test("ends a service that will not, with all that it started, and keeps files and branch", async () => {
    await writeFile(join(world.program.root, "project/README.md"), "not committed");
    await put([web({ command: stubborn })]);
    await answers("web");
    const first = await idIn("id");
    await put([web({ command: stubborn })], true);
    await until("another process", async () => {
      const { id } = await ask().catch(() => ({ id: first }));
      return id !== first;
    });
    expect(isAlive(first)).toBe(false);
    expect(await readFile(join(world.program.root, "project/README.md"), "utf8")).toBe("not committed");
    expect((await world.program.call("GET", "/git/state")).body).toMatchObject({ hasUncommittedChanges: true });
  });

  test("frees a port that a process holds which has left its service behind", async () => {
    const leaves = `env -u SWITCHYARD_SERVICE setsid ${node} server.js & echo $! > id; until [ -e go ]; do sleep 0.02; done; exec ${node} server.js`;
    await put([web({ command: leaves })]);
    await answers("web");
    const stray = await ask();
    await writeFile(join(world.program.root, "project/go"), "");
    await put([web({ command: leaves })], true);
    await until("the service in its place", async () => (await ask().catch(() => stray)).id !== stray.id);
    expect(isAlive(stray.id)).toBe(false);
    expect(await logOf("web")).toContain(`ends process ${stray.id}, which holds port 3000`);
  });
});

describe("the log of a service", () => {
  test("holds no secret of its environment, also where one comes in pieces", async () => {
    const says = `process.stdout.write("first hunter2-and"); setTimeout(() => process.stdout.write("-more, then s3cr3t-own\\n"), 50); setInterval(() => {}, 1000)`;
    await writeFile(join(world.program.root, "project/says.js"), says);
    const plan = { name: "talker", command: `exec ${node} says.js`, env: { OWN: "s3cr3t-own" }, endpoints: [] };
    await put([plan], false, { SHARED: "hunter2-and-more" });
    const log = await until("all of it", async () => {
      const text = await logOf("talker");
      return text.includes("then") && text;
    });
    expect(log).toContain("first [redacted], then [redacted]\n");
  });

  test("is bounded, and is read by the agent outside of the checkout", async () => {
    await put([
      { name: "noisy", command: "yes 0123456789abcdef | head -c 5000000; echo the end; sleep 600", endpoints: [] },
    ]);
    await until("the end", async () => (await logOf("noisy")).endsWith("the end\n"));
    const sizes = await Promise.all(
      ["", ".1"].map((end) => stat(join(world.program.root, `state/logs/service-noisy.log${end}`))),
    );
    expect(Math.max(...sizes.map(({ size }) => size))).toBeLessThanOrEqual(1_024 * 1_024);

    const { service } = await world.runTurn([
      { bash: "tail -n 1 $SWITCHYARD_SERVICE_LOGS/service-noisy.log; git status --short | grep log" },
      { say: "read" },
    ]);
    await service.ended();
    expect(blocksOf(service.received)[0]).toMatchObject({
      type: "tool",
      output: expect.stringMatching(/^the end\n?$/),
    });
  });
});

test("a service has nothing of a turn, and what a turn serves ends with it", async () => {
  await put([web()]);
  await answers("web");
  const { service, start } = await world.runTurn([
    { bash: `PORT=0 ${process.execPath} server.js > /dev/null 2>&1 & echo $! > turn-server-id` },
    { say: "serving" },
  ]);
  await service.ended();
  const { env } = await ask();
  const secrets = [start.api.token, start.git.pass, start.link.pass, start.model.pass];
  expect(secrets.filter((value) => JSON.stringify(env).includes(value))).toEqual([]);
  expect(Object.keys(env).filter((name) => /TURN|TOKEN|GIT_CONFIG_(COUNT|KEY|VALUE)/.test(name))).toEqual([]);
  expect(isAlive(await idIn("turn-server-id"))).toBe(false);
});
