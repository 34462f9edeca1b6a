// The sandbox host stands in for Cloudflare Containers. Each sandbox is a process of the sandbox
// program in its own folder. Like a container's disk, the folder is deleted when the sandbox stops.
// It stays after a pause, and after a kill of the host. The host runs commands for its callers, so
// it listens on loopback, accepts only loopback names, and has a token in its URL.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { mostHeaderBytes } from "../../sandbox-program/http/relay.ts";
import { openInForce } from "../../src/network/rules/network.ts";
import { outlastCallers } from "../listening.ts";
import { isForLoopback, withLoopbackGuard } from "../loopback-host.ts";
import { findIsolation, type Isolation } from "./isolation.ts";
import { proxyRequest, proxyUpgrade } from "./proxy.ts";
import type { SandboxProcess } from "./sandbox-process.ts";
import { createSandboxes, type Sandboxes, type SandboxesOptions } from "./sandboxes.ts";

export interface SandboxHost {
  /** Contains the token, which changes with every start. */
  url: string;
  isolation: Isolation;
  /** Ends every sandbox. Leaves the disks of those whose work is `unsaved`, as a kill does. */
  close(unsaved?: readonly string[]): Promise<void>;
}

export interface SandboxHostOptions extends Omit<SandboxesOptions, "isolation"> {
  /** A free port is used for 0, the default. */
  port?: number;
  /**
   * The parent of the sandboxes' folders. A sandbox starts from the checkout that a killed host
   * left.
   */
  folder: string;
  /** By default, the isolation that works on this machine. */
  isolation?: Isolation;
}

/** Starts the sandbox host. */
export async function startSandboxHost({
  port = 0,
  folder,
  programFile,
  isolation: given,
  ...options
}: SandboxHostOptions): Promise<SandboxHost> {
  const isolation = given ?? (await findIsolation());
  const token = randomBytes(tokenBytes).toString("base64url");
  const sandboxes = await createSandboxes(folder, {
    programFile: resolve(programFile),
    isolation,
    ...options,
  });
  const readTarget = targetReader(token);
  const server = createServer(
    { maxHeaderSize: mostHeaderBytes },
    withLoopbackGuard((request, response) => {
      answer(sandboxes, readTarget(request), request, response).catch((error: unknown) => {
        console.error("sandbox host:", error);
        if (response.headersSent) response.destroy();
        else send(response, 500, { message: error instanceof Error ? error.message : "The sandbox host failed." });
      });
    }),
  );
  server.requestTimeout = 0;
  outlastCallers(server);
  server.on("upgrade", (request, socket, head) => {
    const target = isForLoopback(request) ? readTarget(request) : null;
    if (target?.path === undefined) socket.destroy();
    else proxyUpgrade(sandboxes.find(target.key), target.path, request, socket, head);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/${token}`,
    isolation,
    async close(unsaved) {
      await sandboxes.stopAll(unsaved);
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(
  sandboxes: Sandboxes,
  target: Target | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!target) return send(response, 404, { message: "There is no such path." });
  if (target.path !== undefined) return proxyRequest(sandboxes.find(target.key), target.path, request, response);
  switch (request.method) {
    case "GET":
      return send(response, 200, toStatus(sandboxes.find(target.key)));
    case "PUT": {
      const { secret, env = {}, network = openInForce } = JSON.parse(await readText(request));
      if (!(await sandboxes.start(target.key, { secret, env, network })))
        return send(response, 409, { message: "The sandbox is running." });
      return send(response, 200, { running: true });
    }
    case "DELETE":
      await sandboxes[target.end](target.key);
      response.writeHead(204).end();
      return;
    default:
      return send(response, 405, { message: "The method is not one of this path." });
  }
}

function toStatus(sandbox: SandboxProcess | undefined): object {
  return sandbox ? { running: true, network: sandbox.network, seen: sandbox.seen() } : { running: false };
}

interface Target {
  key: string;
  /** The path at the program. */
  path: string | undefined;
  /** How a DELETE ends the sandbox. */
  end: "stop" | "keep" | "discard";
}

const tokenBytes = 32;
const pathPattern = /^\/([\w-]{1,64})\/sandboxes\/([A-Za-z0-9]{1,64})(?:\?(keep|discard)|\/program(\/.*))?$/;

/** Parses the target of a request; null for a request without the token. */
function targetReader(token: string): (request: IncomingMessage) => Target | null {
  const expected = Buffer.from(token);
  return ({ url }) => {
    const [, given = "", key, end, path] = pathPattern.exec(url ?? "/") ?? [];
    if (key === undefined || given.length !== token.length || !timingSafeEqual(Buffer.from(given), expected))
      return null;
    return { key, path, end: end === "keep" || end === "discard" ? end : "stop" };
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
