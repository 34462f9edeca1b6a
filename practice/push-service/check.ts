// What APNs checks in a notification before it looks at the device: who sends it, for which app,
// and until when.
import { type KeyObject, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { bundleIdPattern, deviceTokenPattern } from "../../src/notification/rules/device.ts";

export interface Refused {
  status: number;
  reason: string;
}

const hourSeconds = 3_600;
const payloadBytes = 4_096;
const collapseIdBytes = 64;

/**
 * Why APNs would refuse a notification; null if it would not. `now` is in milliseconds since the
 * epoch.
 */
export function checkNotification(
  { token, headers, payload }: { token: string; headers: IncomingHttpHeaders; payload: unknown },
  key: { keyId: string; teamId: string; publicKey: KeyObject },
  now: number,
): Refused | null {
  const reason = checkProvider(headers.authorization, key, now / 1_000);
  if (reason !== null) return { status: 403, reason };
  const topic = headers["apns-topic"];
  if (typeof topic !== "string") return { status: 400, reason: "MissingTopic" };
  if (!bundleIdPattern.test(topic)) return { status: 400, reason: "BadTopic" };
  if (headers["apns-push-type"] !== "alert") return { status: 400, reason: "InvalidPushType" };
  if (Buffer.byteLength(String(headers["apns-collapse-id"] ?? "")) > collapseIdBytes) {
    return { status: 400, reason: "BadCollapseId" };
  }
  const expiration = String(headers["apns-expiration"]);
  if (!/^\d+$/.test(expiration) || Number(expiration) <= now / 1_000) {
    return { status: 400, reason: "BadExpirationDate" };
  }
  if (!deviceTokenPattern.test(token)) return { status: 400, reason: "BadDeviceToken" };
  const size = Buffer.byteLength(JSON.stringify(payload));
  if (size > payloadBytes) return { status: 413, reason: "PayloadTooLarge" };
  return hasAlert(payload) ? null : { status: 400, reason: "PayloadEmpty" };
}

function hasAlert(payload: unknown): boolean {
  const { aps } = (payload ?? {}) as { aps?: { alert?: unknown } };
  return typeof aps === "object" && aps?.alert !== undefined;
}

/** Checks the provider token: signed with the key, by the team, and no older than an hour. */
function checkProvider(
  authorization: string | undefined,
  { keyId, teamId, publicKey }: { keyId: string; teamId: string; publicKey: KeyObject },
  nowSeconds: number,
): string | null {
  const [, head, claims, signature] = /^bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization ?? "") ?? [];
  if (head === undefined || claims === undefined || signature === undefined) return "MissingProviderToken";
  const { alg, kid } = read(head);
  const { iss, iat } = read(claims);
  const signed = Buffer.from(`${head}.${claims}`);
  const how = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
  const isSigned = verify("sha256", signed, how, Buffer.from(signature, "base64url"));
  if (!isSigned || alg !== "ES256" || kid !== keyId || iss !== teamId) return "InvalidProviderToken";
  return Math.abs(nowSeconds - Number(iat)) > hourSeconds ? "ExpiredProviderToken" : null;
}

function read(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return {};
  }
}
