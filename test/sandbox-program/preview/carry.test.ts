// The program carries requests to the services of its sandbox. Its ports are those of a container
// here: each is reached under its own number.
import { once } from "node:events";
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { claimFreePort } from "../../../practice/free-port.ts";
import { until } from "../../support/until.ts";
import { type Program, secret, startProgram } from "../support/program.ts";

let program: Program;
const servers: Server[] = [];
const connections: Socket[] = [];
beforeAll(async () => {
  program = await startProgram({ env: { SANDBOX_PORTS: "same" } });
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    for (const connection of connections.splice(0)) connection.destroy();
    await new Promise((closed) => server.close(closed));
  }
});
afterAll(() => program?.remove());

type Answer = NonNullable<Parameters<typeof createServer>[1]>;

/** Starts a server that listens on one address only. Returns its port. */
async function serve(answer: Answer, address = "127.0.0.1"): Promise<{ server: Server; port: number }> {
  // A port that another process has on the other loopback address would be carried to that process.
  const server = createServer(answer).listen(await claimFreePort(), address);
  servers.push(server.on("connection", (connection: Socket) => connections.push(connection)));
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

const visitor = { "x-forwarded-host": "web--s1.preview.test", "x-forwarded-proto": "https" };

/** A request as the service sends it, whose body and answer are streams. */
function ask(port: number, path: string, options: { method?: string; headers?: object } = {}): ClientRequest {
  const credential = { "x-sandbox-port": String(port), "x-sandbox-secret": secret };
  return request(`${program.url}${path}`, { ...options, headers: { ...credential, ...visitor, ...options.headers } });
}

async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(asked, "response");
  return answer;
}

const readText = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray()).toString();

test.each(["127.0.0.1", "::1", "0.0.0.0"])(
  "a server that listens only on %s and checks the Host is reached",
  async (address) => {
    const { port } = await serve((asked, response) => {
      const isKnown = asked.headers.host === `localhost:${asked.socket.localPort}`;
      response.writeHead(isKnown ? 200 : 403).end(asked.headers["x-forwarded-host"]);
    }, address);
    const answer = await program.visit(port, "/", { headers: visitor });
    expect([answer.status, await answer.text()]).toEqual([200, "web--s1.preview.test"]);
  },
);

test("without the secret, and under the program's own port, nothing is reached", async () => {
  const { port } = await serve((_, response) => response.end("reached"));
  const headers = { "x-sandbox-port": String(port), authorization: `Bearer ${secret}` };
  expect((await program.raw("/", { headers })).status).toBe(401);
  expect((await program.raw("/status", { headers: { ...headers, "x-sandbox-secret": "guessed" } })).status).toBe(401);
  const own = Number(new URL(program.url).port);
  for (const nowhere of [own, 0, 70_000, 1.5, Number.NaN]) {
    const answer = await program.visit(nowhere, "/status", { headers: { authorization: `Bearer ${secret}` } });
    expect([answer.status, answer.headers.get("x-sandbox-unreachable")], String(nowhere)).toEqual([502, "1"]);
  }
});

test("both bodies stream: what was sent so far is there before the rest", async () => {
  const { port } = await serve(async (asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    for await (const piece of asked) response.write(`data: ${piece}\n\n`);
    response.end();
  });
  const asked = ask(port, "/", { method: "POST" });
  asked.flushHeaders();
  const pieces = (await answerTo(asked)).iterator({ destroyOnReturn: false });
  for (const word of ["one", "two"]) {
    asked.write(word);
    expect(String((await pieces.next()).value)).toBe(`data: ${word}\n\n`);
  }
  asked.end();
  expect((await pieces.next()).done).toBe(true);
});

test("a server gets the length of a body, as its visitor sent it", async () => {
  const { port } = await serve(async (asked, response) => {
    const { "content-length": length, "transfer-encoding": encoding } = asked.headers;
    response.end(JSON.stringify([length, encoding, (await asked.toArray()).join("")]));
  });
  const told = async (method: string, headers: object, body?: string) => {
    const asked = ask(port, "/", { method, headers });
    asked.end(body);
    return JSON.parse(await readText(await answerTo(asked)));
  };
  expect(await told("POST", { "content-length": 5 }, "hello")).toEqual(["5", null, "hello"]);
  expect(await told("POST", { "transfer-encoding": "chunked" }, "hello")).toEqual([null, "chunked", "hello"]);
  expect(await told("DELETE", {})).toEqual(["0", null, ""]);
  expect(await told("GET", {})).toEqual([null, null, ""]);
});

test("answers without a body, and parts of one, are carried with their headers", async () => {
  const { port } = await serve((asked, response) => {
    if (asked.headers["if-none-match"]) response.writeHead(304, { etag: '"1"' }).end();
    else if (asked.headers.range) response.writeHead(206, { "content-range": "bytes 2-4/10" }).end("cde");
    else response.writeHead(200, { "content-length": 10, "set-cookie": ["a=1", "b=2"] }).end("abcdefghij");
  });
  const head = await program.visit(port, "/", { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
  expect(head.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  const known = await program.visit(port, "/", { headers: { "if-none-match": '"1"' } });
  expect([known.status, known.headers.get("etag")]).toEqual([304, '"1"']);
  const part = await program.visit(port, "/", { headers: { range: "bytes=2-4" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "cde"]);
});

test("a visitor who goes away frees the server's connection", async () => {
  const ended: string[] = [];
  const { port } = await serve((asked, response) => {
    response.once("close", () => ended.push(asked.url ?? ""));
    if (asked.url === "/stream") response.write("on and on");
  });
  const silent = ask(port, "/silent").on("error", () => {});
  silent.end();
  const stream = ask(port, "/stream");
  stream.end();
  await answerTo(stream);
  silent.destroy();
  stream.destroy();
  await until("both connections to end", () => ended.length === 2);
});

test("a server that sends faster than its visitor reads has to wait", async () => {
  const total = 256 * 1_024 * 1_024;
  const piece = Buffer.alloc(1_024 * 1_024);
  let written = 0;
  const { port } = await serve(async (_, response) => {
    for (; written < total && !response.destroyed; written += piece.length)
      if (!response.write(piece)) await once(response, "drain").catch(() => {});
    response.end();
  });
  const asked = ask(port, "/");
  asked.end();
  const answer = await answerTo(asked);
  let before = -1;
  await until("the server to wait", () => {
    const isWaiting = written === before;
    before = written;
    return isWaiting;
  });
  expect(written).toBeLessThan(total);
  let received = 0;
  for await (const chunk of answer) received += chunk.length;
  expect(received).toBe(total);
});

test("connections are used again, and one that the server has closed meanwhile costs no request", async () => {
  let seen = 0;
  const used = new Set<Socket>();
  const { port } = await serve((asked, response) => {
    seen += 1;
    const isReused = used.has(asked.socket);
    used.add(asked.socket);
    if ((asked.url === "/stale" && isReused) || asked.url === "/break") asked.socket.destroy();
    else response.end("answered");
  });
  for (const path of ["/", "/", "/"]) expect(await (await program.visit(port, path)).text()).toBe("answered");
  expect(used.size).toBe(1);
  expect(await (await program.visit(port, "/stale")).text()).toBe("answered");
  expect([seen, used.size]).toEqual([5, 2]);
  const broken = await program.visit(port, "/break", { method: "POST" });
  expect([broken.status, broken.headers.get("x-sandbox-broken"), seen]).toEqual([502, "1", 6]);
});

/** Asks for a WebSocket. Answers what the server said, and the connection. */
async function upgrade(port: number, path = "/") {
  const headers = {
    ...{ connection: "Upgrade", upgrade: "websocket", origin: "https://web--s1.preview.test" },
    "sec-websocket-protocol": "chat, other",
  };
  const asked = ask(port, path, { headers });
  asked.end();
  const [answer, connection, head] = (await Promise.race([once(asked, "upgrade"), once(asked, "response")])) as [
    IncomingMessage,
    Duplex | undefined,
    Buffer | undefined,
  ];
  // The first bytes may have come with the handshake.
  if (head?.length) connection?.unshift(head);
  return { answer, connection };
}

test("a socket is carried whole: its handshake, every byte, and the end of either side", async () => {
  const { server, port } = await serve((_, response) => response.end());
  const sockets: Duplex[] = [];
  server.on("upgrade", ({ headers }: IncomingMessage, socket: Duplex) => {
    const isOwn = headers.origin === `http://${headers.host}`;
    if (!isOwn) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    sockets.push(socket.on("error", () => {}));
    const chosen = headers["sec-websocket-protocol"]?.split(",")[0];
    // Its first bytes come with the handshake.
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: ${chosen}\r\n\r\nhello `,
    );
    socket.pipe(socket);
  });
  const first = await upgrade(port);
  expect([first.answer.statusCode, first.answer.headers["sec-websocket-protocol"]]).toEqual([101, "chat"]);
  let heard = "";
  first.connection?.on("data", (data) => {
    heard += data;
  });
  // The bytes of a frame that closes with a code of the application.
  const frame = Buffer.from([0x88, 0x02, 0x0f, 0xa1]).toString("latin1");
  first.connection?.write(frame);
  await until("the echo", () => heard === `hello ${Buffer.from(frame)}`);
  const ended = once(first.connection as Duplex, "end");
  sockets[0]?.end();
  await ended;
  const second = await upgrade(port);
  const closed = once(sockets[1] as Duplex, "close");
  second.connection?.destroy();
  await closed;
});

test("a handshake that the server refuses, or nobody answers, is answered so", async () => {
  const { server, port } = await serve((_, response) => response.end());
  server.on("upgrade", (_, socket: Duplex) =>
    socket.end("HTTP/1.1 426 Upgrade Required\r\nx-own: kept\r\ncontent-length: 5\r\n\r\nlater"),
  );
  const { answer } = await upgrade(port);
  expect([answer.statusCode, answer.headers["x-own"], await readText(answer)]).toEqual([426, "kept", "later"]);
  const own = await upgrade(Number(new URL(program.url).port));
  expect([own.answer.statusCode, own.answer.headers["x-sandbox-unreachable"]]).toEqual([502, "1"]);
});

test.each([
  ["GET", 204, {}, "close"],
  ["GET", 304, {}, "close"],
  ["HEAD", 200, { "content-length": 4 }, "close"],
  ["POST", 201, { "content-length": 0 }, "close"],
  ["GET", 200, { "content-length": 4 }, "keep-alive"],
])(
  "%s answered with %i %j: a connection ends with an answer that has no body, and with no other",
  async (method, status, headers, connection) => {
    const { port } = await serve((_, response) => {
      response.writeHead(status, headers).end(connection === "close" ? undefined : "body");
    });
    const asked = ask(port, "/", { method, headers: { connection: "keep-alive" } });
    asked.end();
    const answer = await answerTo(asked);
    answer.resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([status, connection]);
  },
);

test.each([
  ["POST", "/turns/none/stop", 204, "close"],
  ["GET", "/status", 200, "keep-alive"],
])(
  "the program's own answer to %s %s is %i, and leaves the connection as it should",
  async (method, path, status, connection) => {
    const headers = { authorization: `Bearer ${secret}`, connection: "keep-alive" };
    const answer = await answerTo(request(`${program.url}${path}`, { method, headers }).end());
    answer.resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([status, connection]);
  },
);
