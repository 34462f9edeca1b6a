// The program's HTTP server: authenticates callers, finds the route, and sends results and
// refusals.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { bootHeader, carrierHeader } from "../../src/sandbox-protocol/headers.ts";
import { terminalPath } from "../../src/terminal/rules/frames.ts";
import { type Carrier, isCarried } from "../preview/carry.ts";
import type { Terminals } from "../terminal/terminals.ts";
import { createRefusal, getRefusalStatus, toRefusal } from "./refusal.ts";
import { createPlainResponse, mostHeaderBytes, withConnectionClose } from "./relay.ts";

export interface Call {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Returns a JSON value, or undefined for 204, or `answered` after it has sent the response itself.
 */
export type Route = (call: Call) => Promise<unknown> | unknown;
export const answered = Symbol("answered");

export interface RouteTable {
  /** Finds the route of a method and path. */
  find(method: string, path: string): { route: Route; status: number } | undefined;
}

/**
 * Identifies this program: its callers know the secret, and its responses carry the id of this
 * process.
 */
export interface ProgramIdentity {
  secret: string;
  bootId: string;
}

/**
 * Creates a server for these routes, and for requests that are carried to a service. Every caller
 * must present the secret: in `Authorization`, or, if that header is for the service, in the header
 * of the carrier.
 */
export function createProgramServer(
  { secret, bootId }: ProgramIdentity,
  routes: RouteTable,
  { carrier, terminals }: { carrier: Carrier; terminals: Terminals },
  report: (error: unknown) => void,
): Server {
  const isSecret = secretCheck(secret);
  const hasSecret = ({ headers }: IncomingMessage) => {
    const [, bearer = ""] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
    return isSecret(bearer);
  };
  const mayCarry = ({ headers }: IncomingMessage) => isSecret(String(headers[carrierHeader] ?? ""));
  const server = createServer({ maxHeaderSize: mostHeaderBytes }, (request, response) => {
    if (isCarried(request) && mayCarry(request)) return carrier.request(request, response);
    void answer(request, response).catch((error: unknown) => {
      report(error);
      response.destroy();
    });
  });
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  server.on("upgrade", (request, socket, head) => {
    if (isCarried(request) && mayCarry(request)) return carrier.upgrade(request, socket, head);
    socket.on("error", () => {});
    const isTerminal = !isCarried(request) && request.url === terminalPath && hasSecret(request);
    if (isTerminal && terminals.open(request, socket, head)) return;
    send(createPlainResponse(request, socket), getRefusalStatus(notOurs.refusal), toRefusal(notOurs));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(bootHeader, bootId);
    try {
      if (isCarried(request) || !hasSecret(request)) throw notOurs;
      const url = new URL(request.url ?? "/", "http://sandbox");
      const found = routes.find(request.method ?? "GET", url.pathname);
      if (!found) throw createRefusal("NOT_FOUND", `There is no ${request.method} ${url.pathname}.`);
      const value = await found.route({ url, request, response });
      if (value === answered) return;
      if (value === undefined)
        withConnectionClose(response)
          .writeHead(found.status === 200 ? 204 : found.status)
          .end();
      else send(response, found.status, value);
    } catch (error) {
      const refused = toRefusal(error);
      if (refused.code === "INTERNAL") report(error);
      if (response.headersSent) response.destroy();
      else send(response, getRefusalStatus(refused.code), refused);
    } finally {
      // An unread body would keep the connection open.
      if (!request.readableEnded) request.resume();
    }
  }
  return server;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
}

const notOurs = createRefusal("UNAUTHORIZED", "The credential is not this sandbox's.");

function secretCheck(secret: string): (given: string) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
