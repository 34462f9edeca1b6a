// A page on another site whose host name resolves to this machine reaches none of the stand-ins.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { startPracticeProvider } from "../../practice/model-provider/provider.ts";
import { noIsolation } from "../../practice/sandbox-host/isolation.ts";
import { startSandboxHost } from "../../practice/sandbox-host/sandbox-host.ts";
import { programFile, secret } from "../sandbox-program/support/program.ts";
import { exchange } from "../support/http-exchange.ts";

let folder: string;
let host: Awaited<ReturnType<typeof startSandboxHost>>;
let servers: Record<string, { url: string; close(): Promise<void> }>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loopback-host-"));
  const sandboxes = join(folder, "sandboxes");
  host = await startSandboxHost({
    folder: sandboxes,
    programFile: programFile(),
    isolation: noIsolation,
    outside: { servicePort: 0 },
  });
  const codeHost = await startPracticeCodeHost({ folder: join(folder, "code-host"), token: "code-host-token" });
  servers = { host, codeHost, provider: await startPracticeProvider() };
});
afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

const path = "/sandboxes/s0123456789abcdef";
const foreign = ["attacker.example", "127.0.0.1.attacker.example:8788", "localhost.attacker.example", "[::2]"];

test.each(["host", "codeHost", "provider"])("the %s accepts only loopback names", async (name) => {
  const { url } = servers[name] ?? { url: "" };
  const { port } = new URL(url);
  for (const named of foreign)
    expect((await exchange(url, { path: "/", headers: { host: named } })).status, named).toBe(421);
  for (const named of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
    expect((await exchange(url, { path: "/", headers: { host: named } })).status, named).not.toBe(421);
});

test("an upgrade with a foreign name is not forwarded", async () => {
  const { port, pathname } = new URL(host.url);
  const answered = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("data", (data) => {
      text += data;
    });
    socket.once("close", () => resolve(text));
    socket.write(
      `GET ${pathname}${path}/program/ HTTP/1.1\r\nhost: attacker.example\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n`,
    );
  });
  expect(answered).toBe("");
});

test("the sandbox host refuses a request without its token", async () => {
  const { origin, pathname } = new URL(host.url);
  expect(pathname.length).toBeGreaterThan(40);
  const body = JSON.stringify({ secret, env: {} });
  for (const prefix of ["", "/", `${pathname}x`, pathname.toLowerCase(), `/${"A".repeat(pathname.length - 1)}`]) {
    expect((await fetch(`${origin}${prefix}${path}`, { method: "PUT", body })).status, prefix).toBe(404);
    expect((await fetch(`${origin}${prefix}${path}/program/status`)).status, prefix).toBe(404);
  }
  expect(await readdir(join(folder, "sandboxes"))).toEqual([]);
  expect((await fetch(`${host.url}${path}`)).status).toBe(200);
});
