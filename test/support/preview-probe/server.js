// The demo app with further routes, which show how preview requests arrive and how responses are
// changed.
import { gzipSync } from "node:zlib";
import { createBoard } from "./board.js";
import { createSockets } from "./sockets.js";

const sockets = createSockets();
let streams = 0;

const probes = {
  "/probe/echo": async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("base64");
    const { method, url, headers } = request;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ method, url, headers, body }));
  },
  "/probe/gzip": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync("unpacked"));
  },
  "/probe/cookies": (_, response) => {
    response.writeHead(200, { "set-cookie": ["one=1; Path=/", "two=2; Path=/"] }).end("baked");
  },
  "/probe/redirect": (_, response) => {
    response.writeHead(307, { location: "/probe/echo?moved" }).end();
  },
  "/probe/teapot": (_, response) => {
    response.writeHead(418, { "x-own": "kept" }).end("short and stout");
  },
  "/probe/bytes": (_, response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from([0, 255, 128, 10, 13]));
  },
  "/probe/own-port": (request, response) => {
    response
      .writeHead(302, { location: `http://localhost:${process.env.PORT}/probe/echo?moved#there` })
      .end(request.url);
  },
  "/probe/own-port-alone": (_, response) => {
    response.writeHead(302, { location: `//localhost:${process.env.PORT}/probe/echo?moved#there` }).end();
  },
  "/probe/status": (request, response) => {
    const { searchParams } = new URL(request.url, "http://probe");
    response.writeHead(Number(searchParams.get("is"))).end(searchParams.get("body") ?? "");
  },
  "/probe/elsewhere": (_, response) => {
    response.writeHead(302, { location: "https://example.com/away" }).end();
  },
  "/probe/tossed": (_, response) => {
    const cookies = [
      "wide=1; Path=/; Domain=preview.localhost; HttpOnly",
      "__Host-svc_preview=forged; Path=/; Secure",
      "own=1; Path=/",
    ];
    response.writeHead(200, { "set-cookie": cookies }).end("tossed");
  },
  "/probe/shared": (_, response) => {
    const headers = {
      "cache-control": "public, max-age=600, s-maxage=3600",
      "cdn-cache-control": "max-age=3600",
      "x-frame-options": "DENY",
      "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
    };
    response.writeHead(200, headers).end("shared");
  },
  "/probe/kept": (_, response) => {
    const headers = {
      "cache-control": "immutable, max-age=999, stale-while-revalidate=60",
      expires: "Thu, 01 Jan 2099 00:00:00 GMT",
      "clear-site-data": '"cookies", "storage"',
      "x-request-id": "its own",
    };
    response.writeHead(200, headers).end("kept");
  },
  "/probe/left": (_, response) => {
    response.writeHead(200, { "cache-control": "No-Store, max-age=0", "clear-site-data": '"cookies"' }).end("left");
  },
  "/probe/cleared": (_, response) => {
    response.writeHead(200, { "clear-site-data": '"*"' }).end("cleared");
  },
  "/probe/dropped": (request) => request.socket.destroy(),
  "/probe/seen": (_, response) => {
    response.writeHead(200).end(JSON.stringify({ id: process.pid, streams, ...sockets.seen() }));
  },
  "/probe/empty": (_, response) => {
    response.writeHead(204).end();
  },
  "/probe/file": (request, response) => {
    const whole = Buffer.from("0123456789".repeat(1_000));
    if (request.headers["if-none-match"] === '"one"') return response.writeHead(304, { etag: '"one"' }).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const shown = from === undefined ? whole : whole.subarray(Number(from), Number(to) + 1);
    const head = { "content-length": shown.length, "accept-ranges": "bytes", etag: '"one"' };
    if (from !== undefined) head["content-range"] = `bytes ${from}-${to}/${whole.length}`;
    response.writeHead(from === undefined ? 200 : 206, head).end(shown);
  },
  "/probe/large": async (request, response) => {
    // Sends the requested number of bytes, with backpressure.
    const piece = Buffer.alloc(1_024 * 1_024, 7);
    response.writeHead(200, { "content-type": "application/octet-stream" });
    const pieces = Number(new URL(request.url, "http://probe").searchParams.get("pieces"));
    for (let sent = 0; sent < pieces; sent++) {
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
  },
  "/probe/upload": async (request, response) => {
    // Responds to the first chunk, before the rest of the body has arrived.
    response.writeHead(200, { "content-type": "text/plain" });
    let bytes = 0;
    for await (const chunk of request) {
      if (bytes === 0) response.write("first;");
      bytes += chunk.length;
    }
    response.end(String(bytes));
  },
  "/probe/stream": (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
    streams++;
    const more = setInterval(() => response.write("data: more\n\n"), 50);
    response.on("close", () => {
      streams--;
      clearInterval(more);
      response.end();
    });
  },
};

const server = createBoard();
const [serve] = server.listeners("request");
server.removeAllListeners("request");
server.on("request", (request, response) => {
  const probe = probes[request.url.split("?")[0]] ?? serve;
  probe(request, response);
});
const [upgrade] = server.listeners("upgrade");
server.removeAllListeners("upgrade");
server.on("upgrade", (request, socket, head) => {
  if (request.url.split("?")[0] === "/probe/dropped") return socket.destroy();
  const isProbe = request.url.split("?")[0] === "/probe/socket";
  (isProbe ? sockets.accept : upgrade)(request, socket, head);
});
server.listen(Number(process.env.PORT), "0.0.0.0");
