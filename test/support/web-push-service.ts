// A push service for browsers: it checks who sends (RFC 8292), decrypts what a browser would
// decrypt (RFC 8291), and lists it. It shares no code with the service.
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface Subscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface ReceivedPush {
  payload: unknown;
  headers: IncomingHttpHeaders;
  /** The public key of the sender, and how to reach its operator. */
  sender: { key: string; sub: string | undefined };
}

export interface WebPushService {
  /** Creates a browser's subscription. */
  subscribe(): Subscription;
  listReceived(subscription: Subscription): ReceivedPush[];
  /** Why messages were refused. */
  refused: string[];
  /** Answers each further message to a browser with this status. */
  answerWith(subscription: Subscription, status: number): void;
  close(): Promise<void>;
}

interface Browser {
  keys: ECDH;
  auth: Buffer;
  status: number;
  received: ReceivedPush[];
}

/** Starts the push service on a free port of this machine. */
export async function startWebPushService(): Promise<WebPushService> {
  const browsers = new Map<string, Browser>();
  const refused: string[] = [];
  const server = createServer(async (request, response) => {
    const browser = browsers.get(request.url ?? "");
    try {
      if (!browser) throw new Error("no such browser");
      const received = await receive(request, browser, origin());
      if (browser.status < 300) browser.received.push(received);
      response.writeHead(browser.status).end();
    } catch (error) {
      refused.push(String(error));
      response.writeHead(browser ? 400 : 404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const find = ({ endpoint }: Subscription) => browsers.get(new URL(endpoint).pathname);
  return {
    refused,
    subscribe() {
      const keys = createECDH("prime256v1");
      const [path, auth] = [`/send/${randomBytes(8).toString("hex")}`, randomBytes(16)];
      const p256dh = keys.generateKeys("base64url");
      browsers.set(path, { keys, auth, status: 201, received: [] });
      return { endpoint: origin() + path, keys: { p256dh, auth: auth.toString("base64url") } };
    },
    listReceived: (subscription) => find(subscription)?.received ?? [],
    answerWith(subscription, status) {
      const browser = find(subscription);
      if (browser) browser.status = status;
    },
    close: () => new Promise((closed) => void server.close(() => closed()).closeAllConnections()),
  };
}

async function receive(request: IncomingMessage, { keys, auth }: Browser, origin: string): Promise<ReceivedPush> {
  const { headers, method } = request;
  const body = await buffer(request);
  if (method !== "POST" || headers["content-encoding"] !== "aes128gcm") throw new Error("not a message");
  if (!/^\d+$/.test(headers.ttl as string) || !/^[\w-]{1,32}$/.test(headers.topic as string))
    throw new Error("a bad header");
  if (body.length > 4_096) throw new Error("too large");
  return { payload: JSON.parse(decrypt(body, keys, auth)), headers, sender: readSender(headers.authorization, origin) };
}

function readSender(authorization: string | undefined, origin: string): ReceivedPush["sender"] {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization ?? "") ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const how = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
  const isSigned = verify("sha256", Buffer.from(`${head}.${claims}`), how, Buffer.from(signature, "base64url"));
  const { aud, exp, sub } = parse(claims);
  const isTimely = exp > Date.now() / 1_000 && exp <= Date.now() / 1_000 + 24 * 3_600;
  if (!isSigned || parse(head).alg !== "ES256" || aud !== origin || !isTimely) throw new Error("a bad sender");
  return { key, sub };
}

function decrypt(body: Buffer, keys: ECDH, auth: Buffer): string {
  const [salt, size] = [body.subarray(0, 16), body.readUInt32BE(16)];
  const theirs = body.subarray(21, 21 + (body[20] ?? 0));
  const record = body.subarray(21 + theirs.length);
  if (record.length > size) throw new Error("more than one record");
  const derive = (from: Buffer, with_: Buffer, info: Buffer | string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", from, with_, info, bytes));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), theirs]);
  const secret = derive(keys.computeSecret(theirs), auth, info, 32);
  const key = derive(secret, salt, "Content-Encoding: aes128gcm\0", 16);
  const decipher = createDecipheriv("aes-128-gcm", key, derive(secret, salt, "Content-Encoding: nonce\0", 12));
  decipher.setAuthTag(record.subarray(-16));
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  if (text.at(-1) !== 2) throw new Error("no end of the record");
  return text.subarray(0, -1).toString();
}
