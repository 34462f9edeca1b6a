// Relays an HTTP exchange or an upgraded connection to a server on a port of this machine. Bodies
// stream both ways at the pace of their reader. If one side disconnects, the exchange ends at the
// other side.
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type OutgoingMessage,
  type RequestOptions,
  ServerResponse,
} from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createLoopbackAgent, NothingListens, openLoopbackSocket } from "../services/loopback.ts";

export interface Relayed {
  port: number;
  /**
   * Connects to the server; by default, to its port on loopback. Such connections are not pooled.
   */
  connect?: () => Socket;
  /** Includes the query. */
  path: string;
  /** The request headers for the server; connection headers are left out. */
  headers: IncomingHttpHeaders;
  /** The response headers for the caller, derived from the server's. */
  answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders;
  /** Responds instead of the server: nothing listens, or the connection broke before a response. */
  fail(failure: "unreachable" | "broken", response: ServerResponse): void;
}

export interface Relay {
  request(relayed: Relayed, request: IncomingMessage, response: ServerResponse): void;
  upgrade(relayed: Relayed, request: IncomingMessage, caller: Duplex, head: Buffer): void;
}

/** Hop-by-hop headers. */
const hopHeaders = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];
/** As much as the platform allows. Node's default is 16 KB. */
export const mostHeaderBytes = 128 * 1_024;
/** A request of these methods may be sent again if its connection turns out to be closed. */
const repeatable = ["GET", "HEAD", "OPTIONS"];

/** Creates a relay with its own connection pool. */
export function createRelay(): Relay {
  const agent = createLoopbackAgent();

  function relayRequest(relayed: Relayed, request: IncomingMessage, response: ServerResponse): void {
    const { method = "GET", headers } = request;
    const isChunked = headers["transfer-encoding"] !== undefined;
    const hasBody = isChunked || Number(headers["content-length"] ?? 0) > 0;
    let outgoing: ReturnType<typeof httpRequest>;
    response.once("close", () => outgoing.destroy());
    send(!relayed.connect && !hasBody && repeatable.includes(method));

    /** A body cannot be sent again, so its request gets a new connection. */
    function send(isPooled: boolean): void {
      const options: RequestOptions = {
        ...{ port: relayed.port, method, path: relayed.path, maxHeaderSize: mostHeaderBytes },
        headers: withFraming(withoutHop(relayed.headers), { method, isChunked }),
        ...(isPooled ? { agent } : { createConnection: relayed.connect ?? openLoopbackSocket }),
      };
      const sent = httpRequest(options);
      outgoing = sent;
      sent.once("response", (incoming) => answer(relayed, incoming, response));
      sent.on("error", (error) => {
        if (response.headersSent || response.destroyed) return;
        if (isPooled && sent.reusedSocket) return send(false);
        relayed.fail(error instanceof NothingListens ? "unreachable" : "broken", response);
      });
      if (!hasBody) return void sent.end();
      request.pipe(sent);
      flushSoon(sent);
    }
  }

  function relayUpgrade(relayed: Relayed, request: IncomingMessage, caller: Duplex, head: Buffer): void {
    const { method = "GET", headers } = request;
    const { port, path } = relayed;
    caller.on("error", () => {});
    const outgoing = httpRequest({
      ...{ port, method, path, maxHeaderSize: mostHeaderBytes },
      headers: { ...withoutHop(relayed.headers), connection: "Upgrade", upgrade: headers.upgrade },
      createConnection: relayed.connect ?? openLoopbackSocket,
    });
    const goAway = () => outgoing.destroy();
    caller.once("close", goAway);
    outgoing.once("upgrade", (incoming, server: Socket, serverHead) => {
      caller.off("close", goAway);
      const { statusCode, statusMessage = "" } = incoming;
      const own = { ...relayed.answerHeaders(withoutHop(incoming.headers)), connection: "Upgrade" };
      caller.write(
        `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${headerLines({ ...own, upgrade: incoming.headers.upgrade })}\r\n`,
      );
      if (serverHead.length > 0) caller.write(serverHead);
      if (head.length > 0) server.write(head);
      join(server, caller);
      join(caller, server);
    });
    // The server does not upgrade and responds as to any other request.
    outgoing.once("response", (incoming) => answer(relayed, incoming, createPlainResponse(request, caller)));
    outgoing.on("error", (error) => {
      if (!caller.destroyed)
        relayed.fail(error instanceof NothingListens ? "unreachable" : "broken", createPlainResponse(request, caller));
    });
    outgoing.end();
  }

  return { request: relayRequest, upgrade: relayUpgrade };
}

/** The response to a handshake that is not accepted. Its connection ends with it. */
export function createPlainResponse(request: IncomingMessage, caller: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  if (caller instanceof Socket) response.assignSocket(caller);
  response.once("finish", () => caller.end());
  return response;
}

/**
 * Closes the connection after the response, which is necessary for one without a body: the runtime
 * of containers would send the next request over the same connection and break it off.
 */
export function withConnectionClose(response: ServerResponse): ServerResponse {
  response.shouldKeepAlive = false;
  return response;
}

const hasNoBody = ({ statusCode, headers }: IncomingMessage, method: string | undefined): boolean =>
  method === "HEAD" || statusCode === 204 || statusCode === 304 || headers["content-length"] === "0";

function answer(relayed: Relayed, incoming: IncomingMessage, response: ServerResponse): void {
  if (hasNoBody(incoming, response.req.method)) withConnectionClose(response);
  response.writeHead(incoming.statusCode ?? 502, relayed.answerHeaders(withoutHop(incoming.headers)));
  incoming.pipe(response);
  flushSoon(response);
  incoming.on("error", () => {});
  incoming.once("close", () => {
    if (!incoming.complete) response.destroy();
  });
}

/**
 * Sends the headers of a stream before its first chunk. Headers of a short body are sent with it.
 */
const flushSoon = (message: OutgoingMessage) => void setImmediate(() => message.destroyed || message.flushHeaders());

function withoutHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.includes(name)));
}

/**
 * Marks the end of the body for the server. Many small servers cannot read chunked bodies, so a
 * missing body is sent as an empty one.
 */
function withFraming(
  headers: OutgoingHttpHeaders,
  { method, isChunked }: { method: string; isChunked: boolean },
): OutgoingHttpHeaders {
  if (isChunked) return { ...headers, "transfer-encoding": "chunked" };
  const isEmpty = headers["content-length"] === undefined && !repeatable.includes(method);
  return isEmpty ? { ...headers, "content-length": "0" } : headers;
}

function headerLines(headers: OutgoingHttpHeaders): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}\r\n`))
    .join("");
}

/** Forwards data, and the end of the connection. */
function join(from: Duplex, to: Duplex): void {
  from.on("error", () => {});
  from.pipe(to);
  from.once("close", () => {
    // Data that arrived before the end is still sent.
    if (to instanceof Socket) to.destroySoon();
    else to.destroy();
  });
}
