// The client of Web Push (RFC 8030), by which browsers get notifications: the service's key, and
// the sending of one notification.
import type { Env } from "../env.ts";
import { signJwt } from "../lib/jwt.ts";
import { readErrorText } from "../lib/response-body.ts";
import { withDeadline } from "../lib/timeout.ts";
import { getOutsideFetch, type NetworkEnv } from "../network/outside.ts";
import type { Notification } from "./rules/notification.ts";
import { getPushTopic, getTtlSeconds, toWebPayload } from "./rules/payload.ts";
import type { PushAnswer } from "./rules/response.ts";
import type { PushSubscriptionKeys } from "./rules/web-device.ts";
import { getPublicKey, sealForBrowser, toPem } from "./web-push-crypto.ts";

export type WebPushEnv = Pick<Env, "WEB_PUSH_PRIVATE_KEY">;

const keyPattern = /^[\w-]{43}$/;
/** A push service accepts at most 24 hours. */
const tokenSeconds = 12 * 3_600;
const answerMs = 10_000;

/** The private key of the service; null without one that can be used. */
export function readWebPushKey({ WEB_PUSH_PRIVATE_KEY: key }: WebPushEnv): string | null {
  return key !== undefined && keyPattern.test(key) ? key : null;
}

const publicKeys = new Map<string, Promise<string | null>>();

/** The key that browsers subscribe with; null if the service cannot send to browsers. */
export async function findWebPushKey(env: WebPushEnv): Promise<string | null> {
  const key = readWebPushKey(env);
  if (key === null) return null;
  const found = publicKeys.get(key) ?? getPublicKey(key).catch(() => null);
  publicKeys.set(key, found);
  return await found;
}

/** Sends to one browser. Never throws: a missing response has status 0. */
type BrowserSender = (to: PushSubscriptionKeys, notice: Notification) => Promise<PushAnswer>;

/** Creates a sender, which proves to each push service only once who sends. */
export function createBrowserSender(env: NetworkEnv, privateKey: string): BrowserSender {
  const authorizations = new Map<string, Promise<string>>();
  return (to, notice) => {
    const { origin } = new URL(to.endpoint);
    const known = authorizations.get(origin) ?? createAuthorization(env.PUBLIC_URL, privateKey, origin, Date.now());
    authorizations.set(origin, known);
    return sendToBrowser(env, known, to, notice);
  };
}

async function sendToBrowser(
  env: NetworkEnv,
  authorization: Promise<string>,
  to: PushSubscriptionKeys,
  notice: Notification,
): Promise<PushAnswer> {
  try {
    return await withDeadline(answerMs, async (signal) => {
      const body = await sealForBrowser(JSON.stringify(toWebPayload(notice)), to);
      const now = Date.now();
      const answer = await getOutsideFetch(env, to.endpoint)(to.endpoint, {
        method: "POST",
        headers: {
          authorization: await authorization,
          "content-encoding": "aes128gcm",
          "content-type": "application/octet-stream",
          ttl: String(getTtlSeconds(notice, now)),
          topic: getPushTopic(notice),
          urgency: "high",
        },
        body,
        // A redirect could lead where no notification may.
        redirect: "manual",
        signal,
      });
      const { status } = answer;
      await readErrorText(answer);
      return { status, reason: null };
    });
  } catch {
    return { status: 0, reason: null };
  }
}

/** Proves to a push service who sends (RFC 8292). */
async function createAuthorization(publicUrl: string, key: string, audience: string, now: number): Promise<string> {
  const exp = Math.floor(now / 1_000) + tokenSeconds;
  // Where to reach the operator has to be a public address.
  const contact = publicUrl.startsWith("https:") ? { sub: new URL(publicUrl).origin } : {};
  const claims = { aud: audience, exp, ...contact };
  const token = await signJwt({ algorithm: "ES256", privateKey: toPem(key), claims });
  return `vapid t=${token}, k=${await getPublicKey(key)}`;
}
