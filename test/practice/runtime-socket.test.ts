// The engine's socket as the Worker's runtime sees it: containers are made in the network of their
// world, and all else is the engine's.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openRuntimeSocket, type RuntimeSocket, withNetwork } from "../../practice/container-engine/runtime-socket.ts";

const network = { name: "switchyard-test", subnet: "172.20.0.0/16", gateway: "172.20.0.1" };
let folder: string;
let engine: Server;
let runtime: RuntimeSocket;
let seen: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runtime-socket-"));
  engine = createServer(async (asked, response) => {
    const body = await text(asked);
    seen.push(`${asked.method} ${asked.url} ${body}`);
    response.writeHead(asked.url === "/containers/none/json" ? 404 : 200, { "x-engine": "own" });
    // The answer to a wait begins long before it ends.
    if (asked.url === "/containers/a/wait") response.flushHeaders();
    else response.end(asked.url);
  });
  await new Promise<void>((listening) => engine.listen(join(folder, "engine.sock"), listening));
  runtime = await openRuntimeSocket(`unix://${join(folder, "engine.sock")}`, network);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await runtime.close();
  engine.closeAllConnections();
  engine.close();
  await rm(folder, { recursive: true });
});

const socketPath = () => new URL(runtime.socket).pathname;

function call(method: string, path: string, body = "") {
  return new Promise<{ status: number; engine: unknown; body: Promise<string> }>((resolve, reject) => {
    const sent = request({ socketPath: socketPath(), method, path, headers: { "content-length": body.length } });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      const answered = text(answer);
      answered.catch(() => {});
      resolve({ status: answer.statusCode ?? 0, engine: answer.headers["x-engine"], body: answered });
    });
    sent.end(body);
  });
}

const sidecar = {
  Image: "ingress",
  ExposedPorts: { "39001/tcp": {} },
  HostConfig: { PublishAllPorts: true, NetworkMode: "bridge", CapAdd: ["NET_ADMIN"] },
};
const sharing = { Image: "sandbox", HostConfig: { NetworkMode: "container:a-proxy" } };
const ipv6 = { Sysctls: { "net.ipv6.conf.lo.disable_ipv6": "0" } };

test.each([
  ["in the engine's default network", sidecar, false, { ...sidecar.HostConfig, NetworkMode: network.name }],
  ["on a machine with IPv6", sidecar, true, { ...sidecar.HostConfig, ...ipv6, NetworkMode: network.name }],
  ["in a network that is not named", { Image: "helper" }, false, { NetworkMode: network.name }],
  ["in the machine's network", { HostConfig: { NetworkMode: "host" } }, false, { NetworkMode: network.name }],
  ["in the network of another container", sharing, true, sharing.HostConfig],
])("a container that is asked for %s", (_, asked, hasIpv6, HostConfig) => {
  const created = JSON.parse(withNetwork(JSON.stringify(asked), { network: network.name, hasIpv6 }));
  expect(created).toEqual({ ...asked, HostConfig });
});

test.each(["/containers/create?name=a-proxy", "/v1.41/containers/create?name=a-proxy"])(
  "what the runtime creates by %s is in the network",
  async (path) => {
    expect((await call("POST", path, JSON.stringify(sidecar))).engine).toBe("own");
    expect(seen).toEqual([expect.stringContaining(`POST ${path} {`)]);
    expect(seen[0]).toContain(`"NetworkMode":"${network.name}"`);
  },
);

test.each(["/networks/bridge", "/v1.41/networks/bridge"])(
  "at the gateway that %s shows, the runtime is reached by no container",
  async (path) => {
    const { status, body } = await call("GET", path);
    const { IPAM } = JSON.parse(await body);
    expect([status, IPAM.Config]).toEqual([200, [{ Subnet: network.subnet, Gateway: "127.0.0.1" }]]);
    expect(seen).toEqual([]);
  },
);

test("other calls and their answers are the engine's", async () => {
  const found = await call("POST", "/containers/a/kill?signal=SIGTERM", "{}");
  expect([found.status, found.engine, await found.body]).toEqual([200, "own", "/containers/a/kill?signal=SIGTERM"]);
  expect((await call("GET", "/containers/none/json")).status).toBe(404);
  expect(seen).toEqual(["POST /containers/a/kill?signal=SIGTERM {}", "GET /containers/none/json "]);
});

test("a wait begins before the container ends, and breaks off with the engine", async () => {
  const { status, body } = await call("POST", "/containers/a/wait");
  expect(status).toBe(200);
  engine.closeAllConnections();
  await expect(body).rejects.toThrow();
});

test("what is no call to create a container is refused, and the socket continues", async () => {
  expect((await call("POST", "/containers/create", "none")).status).toBe(502);
  expect((await call("GET", "/info")).status).toBe(200);
});

test("nobody but its user can connect", async () => {
  expect((await stat(dirname(socketPath()))).mode & 0o777).toBe(0o700);
});
