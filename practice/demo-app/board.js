// The routes of the board: the page, the departures as JSON, a health check and the live connection.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { nextDepartures } from "./departures.js";
import { createLive } from "./live.js";

const pages = new Map([
  ["/", { file: "index.html", type: "text/html; charset=utf-8" }],
  ["/style.css", { file: "style.css", type: "text/css; charset=utf-8" }],
  ["/page.js", { file: "page.js", type: "text/javascript; charset=utf-8" }],
]);

/** Creates the server. It does not listen yet. */
export function createBoard() {
  const live = createLive();
  const server = createServer(async (request, response) => {
    const path = toPath(request);
    if (path === "/health") return json(response, 200, { status: "ok" });
    if (path === "/api/departures") return json(response, 200, { departures: nextDepartures(new Date()) });
    const page = pages.get(path);
    if (page === undefined) return json(response, 404, { error: "Nothing is here." });
    const body = await readFile(new URL(`public/${page.file}`, import.meta.url));
    response.writeHead(200, { "content-type": page.type, "cache-control": "no-cache" }).end(body);
  });
  server.on("upgrade", (request, socket, head) => {
    if (toPath(request) === "/live") live.accept(request, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
  });
  return server;
}

/** The path without the query. A visitor may send one that no URL can have. */
const toPath = ({ url }) => url.split("?", 1)[0];

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
