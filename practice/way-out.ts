// Opens the service to sandboxes that do not share this machine's network: its API and its
// endpoints for sandboxes. Paths for the user of `npm start` stay closed, such as `/dev/sign-in`,
// the pages and the runtime's own paths.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { ListenOptions, Socket } from "node:net";
import { createPlainResponse, createRelay, mostHeaderBytes, type Relayed } from "../sandbox-program/http/relay.ts";
import { parseServicePath } from "../src/network/rules/decide.ts";
import { outlastCallers } from "./listening.ts";

export interface WayOut {
  close(): Promise<void>;
}

/**
 * Headers in which the runtime and the platform send what they know of a caller. `expect` is
 * handled here.
 */
const withheld = /^(mf-|cf-|expect$)/;

/**
 * Opens the service, which listens on a loopback port of this machine. Sandboxes reach it at the
 * same port of `address`: directly, or through what listens `at` another place.
 */
export async function startWayOut(
  address: string,
  port: number,
  at: ListenOptions = { host: address, port },
): Promise<WayOut> {
  const relay = createRelay();
  const open = new Set<Socket>();
  const server = createServer({ maxHeaderSize: mostHeaderBytes }, (request, response) => {
    const relayed = toService(request);
    if (relayed) return relay.request(relayed, request, response);
    request.resume();
    response.writeHead(404, { connection: "close" }).end();
  });
  // A turn waits for its model without a limit.
  server.requestTimeout = 0;
  outlastCallers(server);
  server.on("upgrade", (request, socket, head) => {
    const relayed = toService(request);
    if (relayed) relay.upgrade(relayed, request, socket, head);
    else createPlainResponse(request, socket).writeHead(404, { connection: "close" }).end();
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(at);
  await once(server, "listening");
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function toService({ url = "/", headers }: IncomingMessage): Relayed | null {
    const path = parseServicePath(url);
    if (path === null) return null;
    return {
      port,
      path,
      // The caller's own `host` could name a preview, whose paths are not the service's.
      headers: { ...withoutWithheld(headers), host: `${address}:${port}` },
      answerHeaders: (answered) => answered,
      fail: (_, response) => void response.writeHead(502).end(),
    };
  }
}

function withoutWithheld(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.test(name)));
}
