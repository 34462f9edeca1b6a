// The edge of a public service on one machine: what Cloudflare's network does in front of a Worker.
// A proxy of this machine ends TLS and connects to it. It keeps from the runtime what a stranger
// could say to it, and says itself where a request came from.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { isIP, type Socket } from "node:net";
import { createPlainResponse, createRelay, mostHeaderBytes, type Relayed } from "../sandbox-program/http/relay.ts";
import { isUnderPreviewDomain } from "../src/preview/host/address.ts";
import { outlastCallers } from "./listening.ts";

export interface EdgeHosts {
  /** The host of the service, without a port. */
  publicHost: string;
  /** The parent domain of preview hosts, without a port. */
  previewDomain: string;
}

export interface EdgeOptions extends EdgeHosts {
  /** The loopback port that the proxy connects to. */
  port: number;
  /** The loopback port of the Worker's runtime. */
  workerPort: number;
}

/** What the runtime gets of a request. */
export interface Accepted {
  path: string;
  headers: IncomingHttpHeaders;
  /** Headers that are added to the response. */
  added: OutgoingHttpHeaders;
}

export interface Rejected {
  status: number;
  message: string;
  location?: string;
}

type EdgeRequest = Pick<IncomingMessage, "method" | "url" | "headers"> & { peer: string | undefined };

/**
 * Headers in which the runtime and a platform send what they know of a caller. `expect` is handled
 * here.
 */
const withheld = /^(mf-|cf-|x-forwarded-|(forwarded|true-client-ip|x-real-ip|expect)$)/;
/** Paths of the runtime itself, at any host. */
const ofRuntime = /^\/cdn-cgi(\/|$)/;
/** Paths of the service that nobody outside this machine calls. */
const ofThisMachine = /^\/(dev|internal)(\/|$)/;
const operatorPaths = ["/internal/operator", "/internal/health"];
const storagePath = "/cdn-cgi/local/r2/s3/";
const aYear = 31_536_000;

/** The host of stored files. It is not the API's, whose cookies would reach a file. */
const storageHost = (previewDomain: string) => `files.${previewDomain}`;

/** The S3 address of a bucket, as browsers reach it. */
export const getStorageEndpoint = (previewDomain: string, bucket: string): string =>
  `https://${storageHost(previewDomain)}${storagePath}${bucket}`;

/** Decides what the runtime gets of a request. */
export function readEdgeRequest(request: EdgeRequest, { publicHost, previewDomain }: EdgeHosts): Accepted | Rejected {
  const { method = "GET", url: asked = "/", headers } = request;
  const host = (headers.host ?? "").toLowerCase().replace(/:443$/, "");
  const url = asked.startsWith("/") ? URL.parse(`http://edge${asked}`) : null;
  if (!url) return { status: 400, message: "The address of this request is none." };
  const isPreview = isUnderPreviewDomain(host, previewDomain);
  if (host !== publicHost && !isPreview) return { status: 421, message: "This service has another host." };
  const path = url.pathname + url.search;
  if (headers["x-forwarded-proto"] === "http")
    return { status: 308, message: "This service speaks HTTPS.", location: `https://${host}${path}` };
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.test(name)));
  const address = findClientAddress(request);
  const said = {
    ...(address && { "cf-connecting-ip": address }),
    "x-forwarded-proto": "https",
    // Otherwise the runtime answers an error with a page that shows the code.
    "mf-disable-pretty-error": "true",
  };
  if (host === storageHost(previewDomain)) {
    const isSigned = url.searchParams.has("X-Amz-Signature");
    if (!isSigned || !url.pathname.startsWith(storagePath) || !["GET", "HEAD"].includes(method)) return nothing;
    const { cookie: _, authorization: __, origin: ___, ...plain } = kept;
    // The runtime answers its own paths only under a name of this machine, and the signature is of
    // the public one.
    const named = { host: "127.0.0.1", "mf-original-hostname": host };
    return {
      path,
      headers: { ...plain, ...said, ...named },
      added: { "content-security-policy": "sandbox", "x-content-type-options": "nosniff", ...secured },
    };
  }
  if (ofRuntime.test(url.pathname)) return nothing;
  // The Worker's routes match decoded paths.
  const decoded = decode(url.pathname);
  if (!isPreview && ofThisMachine.test(decoded) && !operatorPaths.includes(decoded)) return nothing;
  return { path, headers: { ...kept, ...said, host }, added: {} };
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const nothing: Rejected = { status: 404, message: "There is no such path." };
const secured = { "strict-transport-security": `max-age=${aYear}` };

/**
 * The address of the client that the proxy names; null if it names none. A proxy adds the peer of
 * its own connection at the end, so what comes before it may be the client's invention.
 */
function findClientAddress({ headers, peer }: EdgeRequest): string | null {
  if (!isLoopbackAddress(peer)) return peer ?? null;
  const last = [headers["x-forwarded-for"] ?? ""].flat().join(",").split(",").at(-1)?.trim() ?? "";
  return isIP(last) === 0 ? null : last;
}

const isLoopbackAddress = (peer: string | undefined) => /^(127\.|::1$|::ffff:127\.)/.test(peer ?? "");

/** Listens for the proxy, on loopback. Throws if the port is taken. */
export async function startEdge({ port, workerPort, ...hosts }: EdgeOptions): Promise<{ close(): Promise<void> }> {
  const relay = createRelay();
  const open = new Set<Socket>();
  const decide = (request: IncomingMessage) =>
    readEdgeRequest(
      { method: request.method, url: request.url, headers: request.headers, peer: request.socket.remoteAddress },
      hosts,
    );
  const server = createServer({ maxHeaderSize: mostHeaderBytes }, (request, response) => {
    const decided = decide(request);
    if ("path" in decided) return relay.request(toRelayed(decided), request, response);
    request.resume();
    reject(decided, response);
  });
  server.on("upgrade", (request, socket, head) => {
    const decided = decide(request);
    if ("path" in decided) relay.upgrade(toRelayed(decided), request, socket, head);
    else reject(decided, createPlainResponse(request, socket));
  });
  outlastCallers(server);
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function toRelayed({ path, headers, added }: Accepted): Relayed {
    return {
      port: workerPort,
      path,
      headers,
      answerHeaders: (answered) => ({ ...answered, ...added }),
      // The runtime is away for seconds while it restarts.
      fail: (_, response) => void response.writeHead(503, { "retry-after": "2" }).end(),
    };
  }
}

function reject({ status, message, location }: Rejected, response: ReturnType<typeof createPlainResponse>): void {
  response
    .writeHead(status, { "content-type": "text/plain", connection: "close", ...(location && { location }) })
    .end(`${message}\n`);
}
