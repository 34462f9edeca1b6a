// Previews of services in containers, as development servers are: only on loopback, of either
// family, strict about the host, and on the most common port.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authTokenCookie } from "../../../src/preview/host/address.ts";
import type { OpenedSession } from "../../support/client.ts";
import { exchange } from "../../support/http-exchange.ts";
import { until } from "../../support/until.ts";
import { openSocket } from "../../support/web-socket.ts";
import { type ContainerWorld, startContainerWorld } from "../support/container-world.ts";

/** It is in the checkout next to the demo app's WebSockets. */
const server = await readFile(join(import.meta.dirname, "address-server.js"), "utf8");
const services = [
  { key: "everywhere", address: "0.0.0.0", port: 8080 },
  { key: "loopback", address: "127.0.0.1", port: 5173 },
  { key: "loopbacksix", address: "::1", port: 4321 },
];
const withCommand = (one: (typeof services)[number]) => ({
  ...one,
  command: `exec node address-server.js ${one.address} ${one.port}`,
});
const python = { key: "python", port: 8000, command: "exec python3 -m http.server 8000 --bind 127.0.0.1" };

let containers: ContainerWorld;
let session: OpenedSession;
let urls: Record<string, string>;
beforeAll(async () => {
  containers = await startContainerWorld();
  const { owner } = containers;
  const { projectId } = containers.world.address();
  const declared = [...services.map(withCommand), python].map(({ key, command, port }) => ({
    name: key,
    // Its file is written by the first turn.
    command: `until test -e address-server.js; do sleep 0.1; done; ${command}`,
    endpoints: [{ port, public: true, healthPath: "/" }],
  }));
  const settings = { setup: [], services: declared, env: {} };
  const put = await owner.call("PUT", `/api/projects/${projectId}/settings`, settings);
  if (put.status !== 200) throw new Error(`The settings were refused: ${JSON.stringify(put.body)}`);
  session = await containers.openSession({ write: { path: "address-server.js", content: server } });
  const preview = `/api/projects/${projectId}/preview`;
  urls = await until("the previews", async () => {
    const { data } = (await owner.get(`${preview}?sessionId=${session.id}`)).body;
    return Object.keys(data.frontendUrls).length === services.length + 1 && data.frontendUrls;
  });
  await until("the services to be healthy", async () => {
    return (await owner.get(`${preview}/health?sessionId=${session.id}`)).body.data.state === "healthy";
  });
});
afterAll(async () => containers?.remove());

function asked(key: string) {
  const url = new URL(urls[key] ?? "");
  const { baseUrl } = containers.world.address();
  const headers = { host: url.host, cookie: `${authTokenCookie}=${url.searchParams.get("svc_auth")}` };
  return { baseUrl, host: url.host, headers };
}

test.each(services)(
  "a server on $address that refuses foreign names is reached, by HTTP and WebSocket",
  async ({ key, address }) => {
    const { baseUrl, host, headers } = asked(key);
    const answer = await exchange(baseUrl, { path: "/a?b=1", headers });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { address, path: "/a?b=1", forwarded: host }]);
    const socket = await openSocket(baseUrl, "/live", headers);
    if (typeof socket === "number") throw new Error(`The upgrade was refused with ${socket}.`);
    socket.send("a word");
    await expect.poll(() => socket.received).toEqual([`${address} heard a word`]);
    socket.close();
  },
);

test("python's server on 127.0.0.1 is reached, and its files are the checkout's", async () => {
  const { baseUrl, headers } = asked(python.key);
  const answer = await exchange(baseUrl, { path: "/address-server.js", headers });
  expect([answer.status, answer.text]).toEqual([200, server]);
});

test("the program itself is not reached through a preview, and keeps its port from no service", async () => {
  const { baseUrl, headers } = asked("everywhere");
  const answer = await exchange(baseUrl, { path: "/status", headers });
  expect(JSON.parse(answer.text)).toMatchObject({ address: "0.0.0.0", path: "/status" });
});
