// Listens on the address and port of its arguments, and answers with the address and how it was
// asked. A WebSocket gets what it says back. Refuses other names than the machine's own, as
// development servers do.
import { createServer } from "node:http";
import { acceptWebSocket } from "./websocket.js";

const [address, port] = process.argv.slice(2);
const isOwn = ({ headers }) => ["localhost", "127.0.0.1", "[::1]"].some((name) => headers.host === `${name}:${port}`);
createServer((request, response) => {
  if (!isOwn(request)) return response.writeHead(403).end("Blocked request. This host is not allowed.");
  response.end(JSON.stringify({ address, path: request.url, forwarded: request.headers["x-forwarded-host"] }));
})
  .on("upgrade", (request, socket, head) => {
    if (!isOwn(request)) return socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
    const one = acceptWebSocket(request, socket, head, {
      onText: (text) => one.send(`${address} heard ${text}`),
      onClose() {},
    });
  })
  .listen(Number(port), address);
