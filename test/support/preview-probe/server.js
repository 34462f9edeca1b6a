// The demo app with a few more answers, which show what a preview request is when it arrives and what becomes of an answer on its way.
import { gzipSync } from "node:zlib";
import { createBoard } from "./board.js";

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
  "/probe/stream": (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
    response.on("close", () => response.end());
  },
};

const server = createBoard();
const [serve] = server.listeners("request");
server.removeAllListeners("request");
server.on("request", (request, response) => {
  const probe = probes[request.url.split("?")[0]] ?? serve;
  probe(request, response);
});
server.listen(Number(process.env.PORT), "0.0.0.0");
