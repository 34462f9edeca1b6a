// The practice push service: a server that stands in for APNs. It speaks HTTP/1.1, although the
// real one requires HTTP/2. The two environments are the paths `/sandbox` and `/production`. Under
// its private address, `/received` lists what devices show.

import { createPublicKey, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { pushEnvironments } from "../../src/notification/rules/device.ts";
import { outlastCallers, startListening } from "../listening.ts";
import { withLoopbackGuard } from "../loopback-host.ts";
import { createPathKey, readPrivatePath } from "../private-path.ts";
import { checkNotification, type Refused } from "./check.ts";

export interface PracticePush {
  url: string;
  /** The address that also lists what it received and refused. */
  privateUrl: string;
  close(): Promise<void>;
}

export interface PushKey {
  keyId: string;
  teamId: string;
  /** PEM. */
  privateKey: string;
}

/** What a device shows: notifications with the same collapse id are one. */
interface Received {
  token: string;
  environment: string;
  topic: string;
  collapseId: string | null;
  expiresAt: string;
  /** How often it was delivered. */
  times: number;
  receivedAt: string;
  payload: unknown;
}

/**
 * Starts the practice push service. A free port is used for 0, the default, and if the port is
 * taken.
 */
export async function startPracticePush({
  key,
  port = 0,
  host = "127.0.0.1",
  pathKey = createPathKey("practice push service"),
}: {
  key: PushKey;
  /** The key of its private address. */
  pathKey?: string;
  port?: number;
  host?: string;
}): Promise<PracticePush> {
  const open = { key: { ...key, publicKey: createPublicKey(key.privateKey) }, pathKey, ...createLists() };
  const server = createServer(
    withLoopbackGuard((request, response) => {
      handle(request, response, open).catch((error: unknown) => {
        console.error("practice push service:", error);
        response.destroy();
      });
    }),
  );
  outlastCallers(server);
  const listening = await startListening(server, port, host);
  const url = `http://${host}:${listening}`;
  return {
    url,
    privateUrl: `${url}/${pathKey}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function createLists() {
  return { received: new Map<string, Received>(), refused: [] as object[], failures: new Map<string, number>() };
}

type Open = { key: PushKey & { publicKey: KeyObject }; pathKey: string } & ReturnType<typeof createLists>;

const devicePath = new RegExp(`^/(${pushEnvironments.join("|")})/3/device/([^/]+)$`);
/** The lists contain only the newest entries. */
const listedMax = 1_000;

async function handle(request: IncomingMessage, response: ServerResponse, open: Open): Promise<void> {
  const { method } = request;
  const { path: url, isPrivate } = readPrivatePath(request.url ?? "", open.pathKey);
  if (isPrivate && method === "GET" && url === "/received")
    return answer(response, 200, { received: [...open.received.values()] });
  if (isPrivate && method === "GET" && url === "/refused") return answer(response, 200, { refused: open.refused });
  const [, environment, token] = devicePath.exec(url) ?? [];
  if (environment === undefined || token === undefined) return answer(response, 404, { reason: "BadPath" });
  if (method !== "POST") return answer(response, 405, { reason: "MethodNotAllowed" });
  const payload = await json(request).catch(() => null);
  const refused =
    checkNotification({ token, headers: request.headers, payload }, open.key, Date.now()) ??
    findRefusal(token, String(request.headers["apns-collapse-id"]), open.failures);
  if (refused) return refuse(response, { environment, token }, refused, open);
  receive({ environment, token, payload }, request, open);
  answer(response, 200, null);
}

function receive(
  { environment, token, payload }: { environment: string; token: string; payload: unknown },
  { headers }: IncomingMessage,
  { received }: Open,
): void {
  const collapseId = headers["apns-collapse-id"] === undefined ? null : String(headers["apns-collapse-id"]);
  const key = `${token} ${collapseId ?? received.size}`;
  const { times = 0 } = received.get(key) ?? {};
  received.set(key, {
    ...{ token, environment, collapseId, payload, times: times + 1 },
    topic: String(headers["apns-topic"]),
    expiresAt: new Date(Number(headers["apns-expiration"]) * 1_000).toISOString(),
    receivedAt: new Date().toISOString(),
  });
  const [oldest] = received.keys();
  if (received.size > listedMax && oldest !== undefined) received.delete(oldest);
}

function refuse(
  response: ServerResponse,
  to: { environment: string; token: string },
  { status, reason }: Refused,
  { refused }: Open,
): void {
  refused.push({ ...to, status, reason, at: new Date().toISOString() });
  if (refused.length > listedMax) refused.shift();
  answer(response, status, { reason, ...(status === 410 ? { timestamp: Date.now() } : {}) });
}

function answer(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === null ? "" : JSON.stringify(body));
}

/** How often a device whose token starts with `5105` fails before it accepts a notification. */
const failures = 2;

/**
 * Why a device rejects a notification, by the start of its token; null if it accepts it. `failed`
 * counts the failures of each notification and device.
 */
function findRefusal(token: string, collapseId: string, failed: Map<string, number>): Refused | null {
  switch (token.slice(0, 4)) {
    case "dead":
      return { status: 410, reason: "Unregistered" };
    case "bad0":
      return { status: 400, reason: "BadDeviceToken" };
    case "4290":
      return { status: 429, reason: "TooManyRequests" };
    case "5105": {
      const key = `${token} ${collapseId}`;
      const before = failed.get(key) ?? 0;
      failed.set(key, before + 1);
      return before < failures ? { status: 503, reason: "ServiceUnavailable" } : null;
    }
    default:
      return null;
  }
}
