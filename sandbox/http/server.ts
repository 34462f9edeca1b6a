// The program's HTTP server: authenticates callers, finds the route, and sends results and refusals.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { bootHeader } from "../../src/sandbox/protocol.ts";
import { refusal, refusalStatus, toRefusal } from "./refusal.ts";

export interface Call {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Returns a JSON value, or undefined for 204, or `answered` after it has sent the response itself. */
export type Route = (call: Call) => Promise<unknown> | unknown;
export const answered = Symbol("answered");

export interface RouteTable {
  /** Finds the route of a method and path. */
  find(method: string, path: string): { route: Route; status: number } | undefined;
}

/** What tells this program from others: its callers know the secret, and its answers bear the id of this process. */
export interface ProgramIdentity {
  secret: string;
  bootId: string;
}

/** Creates a server for these routes. Every caller has to present the secret. */
export function createProgramServer(
  { secret, bootId }: ProgramIdentity,
  routes: RouteTable,
  report: (error: unknown) => void,
): Server {
  const isCaller = bearerCheck(secret);
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      report(error);
      response.destroy();
    });
  });
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(bootHeader, bootId);
    try {
      if (!isCaller(request.headers.authorization))
        throw refusal("UNAUTHORIZED", "The credential is not this sandbox's.");
      const url = new URL(request.url ?? "/", "http://sandbox");
      const found = routes.find(request.method ?? "GET", url.pathname);
      if (!found) throw refusal("NOT_FOUND", `There is no ${request.method} ${url.pathname}.`);
      const value = await found.route({ url, request, response });
      if (value === answered) return;
      if (value === undefined) response.writeHead(found.status === 200 ? 204 : found.status).end();
      else send(response, found.status, value);
    } catch (error) {
      const refused = toRefusal(error);
      if (refused.code === "INTERNAL") report(error);
      if (response.headersSent) response.destroy();
      else send(response, refusalStatus(refused.code), refused);
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

function bearerCheck(secret: string): (authorization: string | undefined) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${secret}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ""), expected);
}
