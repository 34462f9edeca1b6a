// The proxy to a sandbox's ports: HTTP streamed in both directions, and WebSocket upgrades. Headers report failures, so that the caller can
// distinguish a service that is down from a missing sandbox.
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connectLoopback } from "../../sandbox/services/loopback.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

type Port = number | "program";

const connectTimeoutMs = 5_000;
const missing = { "x-sandbox-missing": "1" };
const unreachable = { "x-sandbox-unreachable": "1" };
const broken = { "x-sandbox-broken": "1" };
/** The runtime adds this header to outbound requests. A request to a container would not have it. */
const runtimeHeader = "cf-worker";
const hopHeaders = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];

/** Forwards a request to the port and its response back. */
export async function proxyRequest(
  sandbox: SandboxProcess | undefined,
  port: Port,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!sandbox) return refuse(response, 404, missing, "The sandbox is not running.");
  const socket = await reach(sandbox, port);
  if (!socket) return refuse(response, 502, unreachable, "Nothing answers on this port.");

  const realPort = socket.remotePort;
  const headers = { ...request.headers, host: hostOf(request, port) };
  for (const name of [...hopHeaders, runtimeHeader]) delete headers[name as keyof typeof headers];
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const outgoing = httpRequest({
    method: request.method,
    path,
    headers: { ...headers, ...(isChunked ? { "transfer-encoding": "chunked" } : {}), connection: "close" },
    createConnection: () => socket,
  });
  outgoing.once("response", (incoming) => {
    const kept = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !hopHeaders.includes(name) && !isOurs(name)),
    );
    // A redirect of a service to its own port is for the declared port, as in a container.
    if (kept.location) kept.location = String(kept.location).replace(RegExp(`:${realPort}(?=[/?#]|$)`), `:${port}`);
    response.writeHead(incoming.statusCode ?? 502, kept);
    // Without this, the headers of a stream would wait for its first chunk.
    response.flushHeaders();
    incoming.pipe(response);
    incoming.once("close", () => {
      if (!incoming.complete) response.destroy();
    });
  });
  outgoing.once("error", () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, broken, "The connection broke before there was an answer.");
  });
  response.once("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

/** Forwards an upgraded connection to the port. */
export async function proxyUpgrade(
  sandbox: SandboxProcess | undefined,
  port: Port,
  path: string,
  request: IncomingMessage,
  caller: Duplex,
  head: Buffer,
): Promise<void> {
  caller.on("error", () => {});
  if (!sandbox) {
    caller.end("HTTP/1.1 404 Not Found\r\nx-sandbox-missing: 1\r\nconnection: close\r\n\r\n");
    return;
  }
  const socket = await reach(sandbox, port);
  if (!socket) {
    caller.end("HTTP/1.1 502 Bad Gateway\r\nx-sandbox-unreachable: 1\r\nconnection: close\r\n\r\n");
    return;
  }
  const lines = [`${request.method} ${path} HTTP/1.1`, `host: ${hostOf(request, port)}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? "";
    if (!["host", runtimeHeader].includes(name.toLowerCase()))
      lines.push(`${name}: ${request.rawHeaders[at + 1] ?? ""}`);
  }
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.write(head);
  socket.pipe(caller, { end: false });
  caller.pipe(socket);
  socket.on("error", () => {});
  socket.once("end", () => {
    if (socket.bytesRead > 0) caller.end();
  });
  socket.once("close", () => {
    if (socket.bytesRead > 0) caller.destroy();
    else caller.end("HTTP/1.1 502 Bad Gateway\r\nx-sandbox-broken: 1\r\nconnection: close\r\n\r\n");
  });
  caller.once("close", () => socket.destroy());
}

/** True for headers that only the host may set. A service must not report its sandbox as gone. */
function isOurs(header: string): boolean {
  return header in missing || header in unreachable || header in broken;
}

/** Connects to the port; null if that fails. Retries once with a fresh lookup, because a service may have moved. */
async function reach(sandbox: SandboxProcess, port: Port): Promise<Socket | null> {
  const known = await sandbox.realPort(port, false);
  const socket = known === null ? null : await connectLoopback(known, connectTimeoutMs);
  if (socket) return socket;
  const fresh = await sandbox.realPort(port, true);
  return fresh === null || fresh === known ? null : await connectLoopback(fresh, connectTimeoutMs);
}

/** The Host header: of the browser's URL, if the caller sends it. */
function hostOf(request: IncomingMessage, port: Port): string {
  const forwarded = request.headers["x-forwarded-host"];
  return typeof forwarded === "string" ? forwarded : `localhost:${port}`;
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string>, message: string): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify({ message }));
}
