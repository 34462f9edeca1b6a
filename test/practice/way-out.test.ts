// The way out of containers to the service, as what runs in a container tries it: which paths are
// opened, however they are written, and what passes through.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startWayOut, type WayOut } from "../../practice/way-out.ts";
import { parseServicePath } from "../../src/network/rules/decide.ts";

const gateway = "127.0.0.2";
let service: Server;
let port: number;
let wayOut: WayOut;
let seen: IncomingMessage[];

beforeAll(async () => {
  service = createServer(async (request, response) => {
    seen.push(request);
    if (request.url === "/api/stream") {
      // The second half comes once the caller has the first.
      response.write("first ");
      response.end(await text(request));
    } else response.end("answered");
  });
  service.on("upgrade", (request, socket) => {
    seen.push(request);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    socket.pipe(socket);
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  ({ port } = service.address() as AddressInfo);
  wayOut = await startWayOut(gateway, port);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await wayOut.close();
  service.closeAllConnections();
  service.close();
});

test.each([
  ["/api/meta", "/api/meta"],
  ["/internal/turn-link?a=b", "/internal/turn-link?a=b"],
  ["http://localhost/api/meta", "/api/meta"],
  ["//localhost/api/meta", "/api/meta"],
  ["/dev/../api/meta", "/api/meta"],
  ["/api/projects/a%2Fb", "/api/projects/a%2Fb"],
  ["/api/..%2fdev/sign-in", "/api/..%2fdev/sign-in"],
  ["/dev/sign-in", null],
  ["//dev/sign-in", null],
  ["///dev/sign-in", null],
  ["/%64ev/sign-in", null],
  ["/api/../dev/sign-in", null],
  ["/api/%2e%2e/dev/sign-in", null],
  ["/api/.%2E/dev/sign-in", null],
  ["/api/./../dev/sign-in", null],
  ["/api\\..\\dev\\sign-in", null],
  ["/api/..//dev/sign-in", null],
  ["//api/dev/sign-in", null],
  ["//api/../dev/sign-in", null],
  ["http://x/dev/sign-in", null],
  ["http://x/api/../dev/sign-in", null],
  ["/%61pi/meta", null],
  ["/API/meta", null],
  ["/apis/meta", null],
  ["/api", null],
  ["/", null],
  ["*", null],
  ["", null],
  ["/cdn-cgi/local/r2/public/switchyard/key", null],
  ["/account", null],
])("a container that asks for %s reaches %s", (asked, reached) => {
  expect(parseServicePath(asked)).toBe(reached);
});

/** Sends bytes as they are. Returns the status of each answer, until the connection ends. */
async function readStatuses(bytes: string): Promise<number[]> {
  const socket = connect(port, gateway);
  socket.write(bytes);
  return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

const last = "Connection: close\r\n";

test.each([
  [
    "one after the other",
    `GET /api/meta HTTP/1.1\r\nHost: a\r\n\r\nGET /dev/sign-in HTTP/1.1\r\nHost: a\r\n\r\n`,
    [200, 404],
  ],
  ["in absolute form", `GET http://localhost/dev/sign-in HTTP/1.1\r\nHost: a\r\n${last}\r\n`, [404]],
  ["as a tunnel", `CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n`, []],
  [
    "in a body whose length is given twice",
    `POST /api/meta HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST /dev/sign-in HTTP/1.1\r\n\r\n`,
    [400],
  ],
  [
    "in a body of an unknown encoding",
    `POST /api/meta HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\nPOST /dev/sign-in HTTP/1.1\r\n\r\n`,
    [400],
  ],
  [
    "after the upgrade of a path that is not opened",
    `GET /dev/sign-in HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /dev/sign-in HTTP/1.1\r\n\r\n`,
    [404],
  ],
])("the service sees nothing but the API of what a container sends %s", async (_, bytes, statuses) => {
  expect(await readStatuses(bytes)).toEqual(statuses);
  expect(seen.filter(({ url }) => !url?.startsWith("/api/"))).toEqual([]);
});

test("the service gets a call without the headers by which the runtime takes another address, and with a host of its own", async () => {
  const sent = [
    ...["POST /api/meta HTTP/1.1", "Host: one.preview.localhost", "Authorization: Bearer a", "Content-Length: 5"],
    ...["MF-Original-URL: http://localhost/dev/sign-in", "Mf-Route-Override: a", "CF-Connecting-IP: 1.2.3.4"],
    ...["Connection: close", "", "hello"],
  ];
  expect(await readStatuses(sent.join("\r\n"))).toEqual([200]);
  const [{ headers, method } = { headers: {}, method: "" }] = seen;
  expect([method, headers.authorization, headers.host]).toEqual(["POST", "Bearer a", `${gateway}:${port}`]);
  expect(Object.keys(headers).filter((name) => /^(mf|cf)-/.test(name))).toEqual([]);
});

test("bodies stream both ways", async () => {
  const sent = request({ host: gateway, port, method: "POST", path: "/api/stream" });
  const answering = once(sent, "response");
  sent.flushHeaders();
  const [answer] = await answering;
  answer.setEncoding("utf8");
  expect(await once(answer, "data")).toEqual(["first "]);
  sent.end("second");
  expect(await once(answer, "data")).toEqual(["second"]);
});

test("the connection of a turn link passes both ways, also what is sent with the handshake", async () => {
  const socket = connect(port, gateway);
  const handshake = "GET /internal/turn-link HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  socket.end(`${handshake}GET /dev/sign-in HTTP/1.1\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nGET \/dev\/sign-in HTTP\/1\.1\r\n\r\n$/);
  expect(seen.map(({ url }) => url)).toEqual(["/internal/turn-link"]);
});
