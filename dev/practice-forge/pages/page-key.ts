// Who may look at the forge's pages and press their buttons: whoever was given the link with the key, which a cookie keeps from then on.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "practice_forge";

/** The key of a forge's pages. It opens nothing else. */
export function pageKey(token: string): string {
  return createHmac("sha256", token).update("the pages of the practice forge").digest("base64url");
}

/** True for a request whose cookie has the key. */
export function carriesKey(request: IncomingMessage, key: string): boolean {
  const cookies = (request.headers.cookie ?? "").split("; ");
  return cookies.some((cookie) => isSame(cookie, `${cookieName}=${key}`));
}

/** The cookie for whoever came by the link; null for another key. */
export function cookieFor(given: string, key: string): string | null {
  return isSame(given, key) ? `${cookieName}=${key}; Path=/; HttpOnly; SameSite=Strict` : null;
}

/** True for a form that one of the forge's own pages sent. */
export function isFromOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
