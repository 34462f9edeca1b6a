// The sandbox host behaves as containers do: a process and a disk per sandbox, both gone when it
// stops.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startListening } from "../../practice/listening.ts";
import { getMachine } from "../../practice/sandbox-host/machine.ts";
import { type SandboxHost, startSandboxHost } from "../../practice/sandbox-host/sandbox-host.ts";
import { carriedPortHeader, carrierHeader } from "../../src/sandbox-protocol/headers.ts";
import { type GitRemote, startGitRemote } from "../sandbox-program/support/git-remote.ts";
import { programFile, secret } from "../sandbox-program/support/program.ts";
import { createGitService, getGitUrl } from "../support/git-service.ts";
import { isAlive, listProcesses, readCommand, readFolder } from "../support/process-tree.ts";
import { until } from "../support/until.ts";

let remote: GitRemote;
let service: Server;
let servicePort: number;
let folder: string;
let host: SandboxHost;
beforeAll(async () => {
  remote = await startGitRemote({ "server.js": server });
  service = createGitService(remote);
  servicePort = await startListening(service, 0, "127.0.0.1");
});
beforeEach(async () => {
  // An hour of a host passes within a test.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  folder = await mkdtemp(join(tmpdir(), "sandbox-host-"));
  host = await startSandboxHost({ folder, programFile: programFile(), outside: { servicePort } });
});
afterEach(async () => {
  await host?.close();
  await rm(folder, { recursive: true, force: true });
  vi.useRealTimers();
});
afterAll(async () => {
  await remote?.stop();
  service?.closeAllConnections();
  service?.close();
});

const server = `
const http = require("node:http");
const web = http.createServer((request, response) => {
  response.writeHead(request.url === "/tea" ? 418 : 200);
  if (request.url === "/stream") { response.write("first;"); setTimeout(() => response.end("second"), 150); }
  else request.pipe(response);
});
web.on("upgrade", (request, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n");
  socket.pipe(socket);
});
web.listen(Number(process.env.PORT), "127.0.0.1");
`;
const key = "s0123456789abcdef";
const start = (env: Record<string, string> = {}) =>
  fetch(`${host.url}/sandboxes/${key}`, { method: "PUT", body: JSON.stringify({ secret, env }) });
const isRunning = async () =>
  ((await (await fetch(`${host.url}/sandboxes/${key}`)).json()) as { running: boolean }).running;
const stop = () => fetch(`${host.url}/sandboxes/${key}`, { method: "DELETE" });
const program = async (method: string, path: string, body?: object) =>
  fetch(`${host.url}/sandboxes/${key}/program${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const carried = { [carriedPortHeader]: "3000", [carrierHeader]: secret };
const visit = (path: string, init: RequestInit = {}) =>
  fetch(`${host.url}/sandboxes/${key}/program${path}`, { ...init, headers: carried });

async function startServices(command = `exec ${JSON.stringify(process.execPath)} server.js`): Promise<void> {
  await start();
  const checkout = {
    remoteUrl: getGitUrl(remote, servicePort),
    token: remote.token,
    branch: "svc/x",
    baseBranch: "main",
    setup: [],
    env: {},
  };
  expect((await program("PUT", "/checkout", checkout)).status).toBe(200);
  await program("PUT", "/services", {
    services: [{ name: "web", command, endpoints: [{ port: 3000 }] }],
    env: {},
    restart: false,
  });
}
const webAnswers = () => until("the service", async () => (await visit("/")).status === 200);

test("a sandbox starts once, runs, and leaves no file after a stop", async () => {
  expect(await isRunning()).toBe(false);
  expect((await start()).status).toBe(200);
  expect(await isRunning()).toBe(true);
  expect((await start()).status).toBe(409);
  expect((await program("GET", "/status")).status).toBe(200);
  expect(await readdir(folder)).toEqual([key]);
  expect((await stop()).status).toBe(204);
  expect(await isRunning()).toBe(false);
  expect(await readdir(folder)).toEqual([]);
  expect((await stop()).status).toBe(204);
  expect((await start()).status).toBe(200);
});

test("a service is reached through the program: methods, bodies, statuses, and streams", async () => {
  await startServices();
  await webAnswers();
  const echo = await visit("/echo?x=1", { method: "POST", body: "hello" });
  expect([echo.status, await echo.text()]).toEqual([200, "hello"]);
  expect((await visit("/tea")).status).toBe(418);
  const streamed = await visit("/stream");
  const pieces: string[] = [];
  for await (const piece of streamed.body ?? []) pieces.push(Buffer.from(piece).toString());
  expect(pieces).toEqual(["first;", "second"]);
});

test("an upgraded connection forwards bytes in both directions", async () => {
  await startServices();
  await webAnswers();
  const { request } = await import("node:http");
  const echoed = await new Promise<string>((resolve, reject) => {
    const upgrade = request(`${host.url}/sandboxes/${key}/program/socket`, {
      headers: { connection: "Upgrade", upgrade: "echo", ...carried },
    });
    upgrade.once("upgrade", (_response, socket) => {
      socket.once("data", (data: Buffer) => {
        resolve(data.toString());
        socket.destroy();
      });
      socket.write("over and out");
    });
    upgrade.once("error", reject);
    upgrade.end();
  });
  expect(echoed).toBe("over and out");
});

test("a port without a listener and a missing sandbox are distinguished", async () => {
  const missing = await visit("/");
  expect([missing.status, missing.headers.get("x-sandbox-missing")]).toEqual([404, "1"]);
  await start();
  const unreachable = await visit("/");
  expect([unreachable.status, unreachable.headers.get("x-sandbox-unreachable")]).toEqual([502, "1"]);
});

test("the end of a program ends its services and deletes its folder", async () => {
  await startServices(`${JSON.stringify(process.execPath)} server.js & setsid sleep 600 & wait`);
  await webAnswers();
  // The server can answer before the other process has become its command.
  const listInside = () => listProcesses(join(folder, key));
  const commands = expect.arrayContaining([expect.stringMatching(/server\.js/), "sleep 600"]);
  await expect.poll(() => listInside().map(readCommand)).toEqual(commands);
  const inside = listInside();
  process.kill(await programId(), "SIGKILL");
  await until("the folder to go", async () => (await readdir(folder)).length === 0);
  expect(await isRunning()).toBe(false);
  expect(inside.filter(isAlive)).toEqual([]);
});

test("a program's environment is the host's allow-list and the variables of the call", async () => {
  const other = await mkdtemp(join(tmpdir(), "sandbox-host-"));
  const telling = join(other, "telling.mjs");
  const tell = `console.log(JSON.stringify({ port: 1 })); process.stdin.on("end", () => process.exit()).resume();`;
  await writeFile(telling, `(await import("node:fs")).writeFileSync("env.json", JSON.stringify(process.env)); ${tell}`);
  process.env.HOST_CANARY = "canary-1234";
  const next = await startSandboxHost({
    folder: join(other, "sandboxes"),
    programFile: telling,
    outside: { servicePort },
  });
  await fetch(`${next.url}/sandboxes/${key}`, { method: "PUT", body: JSON.stringify({ secret, env: { ADDED: "1" } }) });
  delete process.env.HOST_CANARY;
  const root = join(other, "sandboxes", key);
  // Where it works may also be reported by the isolation.
  expect({ PWD: root, ...JSON.parse(await readFile(join(root, "env.json"), "utf8")) }).toEqual({
    PWD: root,
    ADDED: "1",
    PATH: getMachine(process.env).path,
    LANG: expect.any(String),
    HOME: join(root, "home"),
    ...(next.isolation.openNetwork === null
      ? { HOST: "127.0.0.1", PORT: "0" }
      : {
          SANDBOX_LISTENER: "4",
          SANDBOX_WAYS_OUT: JSON.stringify({ [servicePort]: "/run/switchyard/service" }),
          SANDBOX_NETWORK_RULE: "",
        }),
    MALLOC_TRIM_THRESHOLD_: "131072",
    NODE_COMPILE_CACHE: join(other, "compiled"),
    SANDBOX_COMMAND_ENV: JSON.stringify(getMachine(process.env).variables),
    SANDBOX_LEASH: "stdin",
    SANDBOX_PORTS: "mapped",
    SANDBOX_ROOT: root,
    SANDBOX_SECRET: secret,
    SANDBOX_WALL: next.isolation.wall,
  });
  await next.close();
  await rm(other, { recursive: true, force: true });
});

test("a host that ends leaves only the disks of unsaved sandboxes, without their processes", async () => {
  await startServices();
  expect((await fetch(`${host.url}/sandboxes/s2`, { method: "PUT", body: JSON.stringify({ secret }) })).ok).toBe(true);
  const inside = listProcesses(join(folder, key));
  await host.close([key]);
  expect(await readdir(folder)).toEqual([key]);
  expect(inside.filter(isAlive)).toEqual([]);
  host = await startSandboxHost({ folder, programFile: programFile(), outside: { servicePort } });
  await start();
  expect(await readdir(join(folder, key, "project"))).toContain("server.js");
});

describe("a sandbox that has run for more than a week", () => {
  const record = () => join(folder, key, "state/checkout.json");
  beforeEach(async () => {
    await start();
    await mkdir(join(folder, key, "state"), { recursive: true });
    await writeFile(record(), "{}");
    await utimes(record(), 0, 0);
  });

  test("and is unsaved when its host ends leaves its disk for the next host", async () => {
    await host.close([key]);
    host = await startSandboxHost({ folder, programFile: programFile(), outside: { servicePort } });
    expect(await readdir(folder)).toEqual([key]);
  });

  test("is known to run, should its host be killed", async () => {
    vi.advanceTimersByTime(60 * 60_000);
    await expect.poll(async () => (await stat(record())).mtimeMs).toBeGreaterThan(0);
  });
});

describe("the sandboxes of a killed host", () => {
  let other: string;
  let next: SandboxHost;
  beforeEach(async () => {
    other = await mkdtemp(join(tmpdir(), "sandbox-host-"));
  });
  afterEach(async () => {
    await next.close();
    await rm(other, { recursive: true, force: true });
  });
  const put = (url: string, of: string) =>
    fetch(`${url}/sandboxes/${of}`, { method: "PUT", body: JSON.stringify({ secret, env: {} }) });
  const remove = (of: string) => fetch(`${next.url}/sandboxes/${of}`, { method: "DELETE" });
  const startNext = async (program = programFile()) => {
    next = await startSandboxHost({ folder: other, programFile: program, outside: { servicePort } });
  };

  /** A finished checkout with a file in it, as old as a week and more when it is `old`. */
  async function leave(of: string, isOld: boolean): Promise<void> {
    await mkdir(join(other, of, "project"), { recursive: true });
    await mkdir(join(other, of, "state"), { recursive: true });
    await writeFile(join(other, of, "project/file"), "x");
    const record = join(other, of, "state/checkout.json");
    await writeFile(record, "{}");
    if (isOld) await utimes(record, 0, 0);
  }

  test("are removed at the next start, with their processes, except checkouts", async () => {
    const killed = await hostProcess(other);
    await put(killed.url, key);
    const programs = () => listProcesses(join(other, key));
    expect(programs()).not.toEqual([]);
    killed.process.kill("SIGKILL");
    await leave("sleft", false);
    await leave("sold", true);
    await startNext();
    expect(await readdir(other)).toEqual(["sleft"]);
    expect(programs()).toEqual([]);
  });

  test("leave checkouts, which a stop keeps and a discard deletes", async () => {
    await leave("sleft", false);
    await startNext();
    await remove("sleft");
    expect(await readdir(other)).toEqual(["sleft"]);
    expect((await remove("sleft?discard")).status).toBe(204);
    expect(await readdir(other)).toEqual([]);
  });

  test("leave checkouts, which a start that fails does not delete", async () => {
    await leave("sleft", false);
    await startNext(join(folder, "missing", "program.mjs"));
    for (const of of ["sleft", "snew"]) expect((await put(next.url, of)).ok).toBe(false);
    expect(await readdir(other)).toEqual(["sleft"]);
    expect(await readFile(join(other, "sleft/project/file"), "utf8")).toBe("x");
  });

  test("leave checkouts for a week after the last start", async () => {
    const killed = await hostProcess(other);
    await leave("sold", true);
    await put(killed.url, "sold");
    killed.process.kill("SIGKILL");
    await startNext();
    expect(await readdir(other)).toEqual(["sold"]);
  });

  test("leave checkouts, with which their sandboxes start once", async () => {
    await leave("sleft", false);
    await startNext();
    await remove("sleft");
    expect((await put(next.url, "sleft")).status).toBe(200);
    expect(await readFile(join(other, "sleft/project/file"), "utf8")).toBe("x");
    await remove("sleft");
    expect(await readdir(other)).toEqual([]);
    await put(next.url, "sleft");
    expect(await readdir(join(other, "sleft"))).not.toContain("project");
  });
});

/** The id of the sandbox's program, which works in the sandbox's folder itself. */
async function programId(): Promise<number> {
  const found = listProcesses(join(folder, key)).find((one) => readFolder(one) === join(folder, key));
  return found?.id ?? 0;
}

async function hostProcess(other: string): Promise<{ url: string; process: ChildProcess }> {
  const module = new URL("../../practice/sandbox-host/sandbox-host.ts", import.meta.url).href;
  const options = JSON.stringify({ folder: other, programFile: programFile(), outside: { servicePort } });
  const code = `const { startSandboxHost } = await import(${JSON.stringify(module)}); console.log((await startSandboxHost(${options})).url);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  return { url, process: child };
}
