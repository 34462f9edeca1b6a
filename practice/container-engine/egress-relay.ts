// The way of containers to the Worker's runtime, which decides about their requests. The runtime
// listens on this machine's loopback, where it connects any caller to any address. So the relay
// takes only what the sidecars of containers ask, who know its secret.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { request as callHttp, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface EgressRelay {
  /** Such as `172.18.0.1:40123`. */
  address: string;
  secret: string;
  close(): Promise<void>;
}

/** What the runtime decides by: the name in a request, or in the beginning of a TLS connection. */
const names = ["x-hostname", "x-tls-sni"];

/** Opens the relay on an address of this machine. */
export async function startEgressRelay(host: string): Promise<EgressRelay> {
  const secret = randomBytes(32).toString("hex");
  const open = new Set<Socket>();
  const server = createServer((_, response) => void response.writeHead(404, { connection: "close" }).end());
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("connect", ({ url = "", headers }, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const named = Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
    const port = Number(headers["x-egress-port"]);
    const isKnown = isSame(String(headers["x-egress-secret"]), secret) && port > 0 && Object.keys(named).length === 1;
    if (!isKnown) return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    callHttp({ host: "127.0.0.1", port, method: "CONNECT", path: url, headers: named })
      .once("connect", ({ statusCode }, tunnel: Socket, first: Buffer) => {
        socket.write(`HTTP/1.1 ${statusCode} Connected\r\n\r\n`);
        if (first.length > 0) socket.write(first);
        if (head.length > 0) tunnel.write(head);
        socket.pipe(tunnel).pipe(socket);
        tunnel.on("error", () => socket.destroy());
        socket.on("close", () => tunnel.destroy());
      })
      .once("error", () => socket.destroy())
      .end();
  });
  await once(server.listen(0, host), "listening");
  return {
    address: `${host}:${(server.address() as AddressInfo).port}`,
    secret,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isSame(given: string, secret: string): boolean {
  return given.length === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));
}
