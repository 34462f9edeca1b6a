// The filter of a sandbox that has no network of its own: an HTTP proxy outside of it, which
// connects only to hosts of the sandbox's network. Inside an encrypted connection, it sees no more
// than the server's name.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  createPlainResponse,
  createRelay,
  mostHeaderBytes,
  type Relayed,
} from "../../../sandbox-program/http/relay.ts";
import { formatRefusedHost, toVerdict, type Verdict } from "../../../src/network/rules/decide.ts";
import type { NetworkInForce, SeenHost } from "../../../src/network/rules/network.ts";
import { networkSeenMax } from "../../../src/rules/limits.ts";
import { outlastCallers } from "../../listening.ts";
import { readServerName } from "./client-hello.ts";
import { createHostConnection, NoPublicAddress, type ReplacedServers } from "./public-connection.ts";

export interface NetworkFilter {
  /** Listens on a Unix socket. */
  listen(path: string): Promise<void>;
  /** The hosts that were asked for. */
  seen(): SeenHost[];
  close(): Promise<void>;
}

type Allowed = Extract<Verdict, { type: "allow" | "service" }>;

const helloWaitMs = 10_000;

/** Creates the filter of one sandbox. */
export function createNetworkFilter(network: NetworkInForce, replaced: ReplacedServers): NetworkFilter {
  const relay = createRelay();
  const open = new Set<Duplex>();
  const seen = new Map<string, SeenHost>();
  /** The host of each tunnel to port 80. */
  const tunnels = new WeakMap<Socket, string>();
  const outer = listener((request) => request.url ?? "");
  const inner = listener(({ socket, url, headers }) => {
    const host = tunnels.get(socket);
    // A request for another host would reach a neighbour of the allowed one.
    return host === getHost(headers.host) ? `http://${host}${url}` : `http://${headers.host}${url}`;
  });

  /** A server of plain requests. `getAddress` returns the URL that a request is for. */
  function listener(getAddress: (request: IncomingMessage) => string): Server {
    const server = createServer({ maxHeaderSize: mostHeaderBytes }, (request, response) => {
      const relayed = check(request, getAddress(request), response);
      if (relayed) relay.request(relayed, request, response);
    });
    server.requestTimeout = 0;
    outlastCallers(server);
    server.on("upgrade", (request, socket, head) => {
      const relayed = check(request, getAddress(request), () => createPlainResponse(request, socket));
      if (relayed) relay.upgrade(relayed, request, socket, head);
    });
    server.on("connection", keep);
    return server;
  }

  function keep(socket: Duplex): void {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  }

  /** What to relay; null if the request was refused. */
  function check(
    request: IncomingMessage,
    address: string,
    response: ServerResponse | (() => ServerResponse),
  ): Relayed | null {
    const answer = typeof response === "function" ? response : () => response;
    const url = URL.parse(address);
    const verdict = url?.protocol === "http:" ? decide(url, request.socket) : null;
    if (url === null || verdict === null) {
      request.resume();
      refuseWith(answer(), 400, "This is a proxy for http and https.");
      return null;
    }
    if (verdict.type === "refuse") {
      request.resume();
      refuseWith(answer(), 403, formatRefusedHost(verdict));
      return null;
    }
    const { "proxy-authorization": _, ...headers } = request.headers;
    let failure: Error | null = null;
    return {
      port: verdict.port,
      connect: () => connectTo(verdict).once("error", (error) => (failure = error)),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      answerHeaders: (answered) => answered,
      fail: (_kind, failed) => refuseWith(failed, ...unreachable(verdict, failure)),
    };
  }

  /** The verdict on a URL. A tunnel leads to its host only. */
  function decide(url: URL, socket: Socket): Verdict {
    const verdict = toVerdict(network, url);
    const host = tunnels.get(socket);
    const isElsewhere = host !== undefined && host !== verdict.host;
    // The service has a way of its own.
    const decided: Verdict =
      verdict.type === "service" || (isElsewhere && verdict.type === "allow")
        ? { host: verdict.host, port: verdict.port, type: "refuse", reason: "host" }
        : verdict;
    note(decided);
    return decided;
  }

  function note({ host, port, type }: Verdict): void {
    const key = `${host}:${port}`;
    const known = seen.get(key);
    if (known) known.count += 1;
    else if (seen.size < networkSeenMax) seen.set(key, { host, port, isAllowed: type === "allow", count: 1 });
  }

  const connectTo = ({ host, port }: Allowed) => createHostConnection(host, port, replaced);

  outer.on("connect", (request, socket: Socket, head: Buffer) => {
    const [, port = ""] = /:(\d+)$/.exec(request.url ?? "") ?? [];
    const url = URL.parse(`${port === "80" ? "http" : "https"}://${request.url}/`);
    const verdict = url && decide(url, socket);
    if (verdict === null) return endTunnel(socket, 400, "This is a proxy for http and https.");
    if (verdict.type === "refuse") return endTunnel(socket, 403, formatRefusedHost(verdict));
    if (head.length > 0) socket.unshift(head);
    if (verdict.port === 80) {
      socket.write(established);
      tunnels.set(socket, verdict.host);
      inner.emit("connection", socket);
    } else openTunnel(socket, verdict);
  });

  /** Connects first, so that a client learns of a host that does not answer. */
  function openTunnel(socket: Socket, verdict: Allowed): void {
    const server = connectTo(verdict);
    keep(server);
    socket.once("close", () => server.destroy());
    server.once("error", (error) => endTunnel(socket, ...unreachable(verdict, error)));
    server.once("connect", () => {
      server.removeAllListeners("error").on("error", () => socket.destroy());
      socket.write(established);
      readHello(socket, (hello) => {
        const named = readServerName(hello);
        if (named === "incomplete") return false;
        if (named !== "invalid" && named.name === verdict.host) {
          server.write(hello);
          socket.pipe(server);
          server.pipe(socket);
          server.once("close", () => socket.destroySoon());
        } else {
          const asked = named === "invalid" ? "" : (named.name ?? "");
          note({ host: asked === "" ? verdict.host : asked, port: verdict.port, type: "refuse", reason: "host" });
          socket.destroy();
        }
        return true;
      });
    });
  }

  return {
    async listen(path) {
      await new Promise<void>((listening, failed) => {
        outer.once("error", failed).listen(path, listening);
      });
    },
    seen: () => [...seen.values()],
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => outer.close(closed));
    },
  };
}

const statusMessage = "Refused";
const established = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** Collects the first bytes until `isDone`. A client that sends too little is disconnected. */
function readHello(socket: Socket, isDone: (bytes: Buffer) => boolean): void {
  let bytes = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), helloWaitMs);
  socket.once("close", () => clearTimeout(timer));
  socket.on("data", function add(chunk: Buffer) {
    bytes = Buffer.concat([bytes, chunk]);
    socket.pause();
    if (!isDone(bytes)) return void socket.resume();
    clearTimeout(timer);
    socket.off("data", add);
  });
}

function unreachable({ host }: Allowed, error: Error | null): [status: number, message: string] {
  if (error instanceof NoPublicAddress) return [403, `Switchyard: ${error.message}`];
  return [502, `Switchyard: ${host} was not reached.`];
}

function refuseWith(response: ServerResponse, status: number, message: string): void {
  // The sandbox's program recognizes refusals by this status message.
  const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
  response.writeHead(status, statusMessage, headers).end(`${message}\n`);
}

function endTunnel(socket: Socket, status: number, message: string): void {
  const body = `${message}\n`;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status} ${statusMessage}\r\n${headers}\r\n\r\n${body}`);
}

/** The host of a Host header, without the port. */
function getHost(header = ""): string {
  return URL.parse(`http://${header}/`)?.hostname.replace(/\.$/, "") ?? "";
}
