// A minimal development server with hot reload: a WebSocket tells its page to replace a module when
// the file changes. It replaces the demo app's server.js and uses its websocket.js.

import { watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { acceptWebSocket } from "./websocket.js";

const page = `<!doctype html><html lang="en"><title>Hot</title><h1></h1><input aria-label="Note"><script type="module">
const show = async (version) => {
  const { heading } = await import("./heading.js?" + version);
  document.querySelector("h1").textContent = heading;
};
const socket = new WebSocket(new URL("/hot", location.href.replace(/^http/, "ws")));
socket.onopen = () => document.body.append("connected");
socket.onmessage = ({ data }) => show(data);
show(0);
</script></html>`;

const pages = new Set();
watchFile("heading.js", { interval: 50 }, ({ mtimeMs }) => {
  for (const open of pages) open.send(String(mtimeMs));
});

const server = createServer(async (request, response) => {
  if (request.url === "/health") return response.writeHead(200).end();
  const isModule = request.url.startsWith("/heading.js");
  const headers = { "content-type": isModule ? "text/javascript" : "text/html" };
  response.writeHead(200, headers).end(isModule ? await readFile("heading.js") : page);
});
server.on("upgrade", (request, socket, head) => {
  const open = acceptWebSocket(request, socket, head, { onText() {}, onClose: () => pages.delete(open) });
  pages.add(open);
});
server.listen(Number(process.env.PORT), "0.0.0.0");
