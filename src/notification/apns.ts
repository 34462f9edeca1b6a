// The client of APNs, the push service for Apple's devices: its settings, the service's provider
// token, and the sending of one notification.

import type { Env } from "../env.ts";
import type { IssuedToken } from "../lib/cached-token.ts";
import { signJwt } from "../lib/jwt.ts";
import { readErrorText } from "../lib/response-body.ts";
import { withDeadline } from "../lib/timeout.ts";
import type { PushEnvironment } from "./rules/device.ts";
import type { Notification } from "./rules/notification.ts";
import { getHeaders, toPayload } from "./rules/payload.ts";
import type { PushAnswer } from "./rules/response.ts";

export type ApnsEnv = Pick<Env, "APNS_KEY_ID" | "APNS_TEAM_ID" | "APNS_PRIVATE_KEY" | "APNS_URLS">;

export interface Apns {
  keyId: string;
  teamId: string;
  /** PEM. */
  privateKey: string;
  urls: Record<PushEnvironment, string>;
}

/** APNs refuses a provider token that is older than an hour, and one that is renewed too often. */
const providerTokenLifetimeMs = 40 * 60_000;
/** The timeout of a response. */
const answerMs = 10_000;

const ownUrls: Apns["urls"] = {
  sandbox: "https://api.sandbox.push.apple.com",
  production: "https://api.push.apple.com",
};

/** The settings of APNs, or the names of the missing ones: without them nothing is sent. */
export function readApns(env: ApnsEnv): Apns | { lacking: string[] } {
  const { APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId, APNS_PRIVATE_KEY: privateKey, APNS_URLS: urls } = env;
  if (!keyId || !teamId || !privateKey) {
    const all = { APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId, APNS_PRIVATE_KEY: privateKey };
    return { lacking: Object.entries(all).flatMap(([name, value]) => (value ? [] : [name])) };
  }
  return { keyId, teamId, privateKey, urls: { ...ownUrls, ...JSON.parse(urls || "{}") } };
}

/** Signs a new provider token. Throws for a key that cannot be read. */
export async function createProviderToken({ keyId, teamId, privateKey }: Apns, now: number): Promise<IssuedToken> {
  const claims = { iss: teamId, iat: Math.floor(now / 1_000) };
  const token = await signJwt({ algorithm: "ES256", privateKey, header: { kid: keyId }, claims });
  return { token, expiresAt: now + providerTokenLifetimeMs };
}

/** Sends a notification to one device. Never throws: a missing response has status 0. */
export async function sendNotification(
  { urls }: Apns,
  providerToken: string,
  { token, bundleId, environment }: { token: string; bundleId: string; environment: PushEnvironment },
  notice: Notification,
): Promise<PushAnswer> {
  try {
    return await withDeadline(answerMs, async (signal) => {
      const answer = await fetch(`${urls[environment]}/3/device/${token}`, {
        method: "POST",
        headers: { ...getHeaders(notice, bundleId), authorization: `bearer ${providerToken}` },
        body: JSON.stringify(toPayload(notice)),
        redirect: "manual",
        signal,
      });
      // The body of a success is empty, and is read too, so that its connection is reused.
      const text = await readErrorText(answer);
      return { status: answer.status, reason: answer.status === 200 ? null : findReason(text) };
    });
  } catch {
    return { status: 0, reason: null };
  }
}

/** The reason that APNs gives. A response from anything else has none. */
function findReason(text: string): string | null {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === "string" && /^\w{1,60}$/.test(reason) ? reason : null;
  } catch {
    return null;
  }
}
