// Access to the forge's pages: the link contains a key, which a cookie stores afterwards.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "practice_forge";

/** The key of a forge's pages. It grants nothing else. */
export function pageKey(token: string): string {
  return createHmac("sha256", token).update("the pages of the practice forge").digest("base64url");
}

/** True if the request's cookie has the key. */
export function carriesKey(request: IncomingMessage, key: string): boolean {
  const cookies = (request.headers.cookie ?? "").split("; ");
  return cookies.some((cookie) => isSame(cookie, `${cookieName}=${key}`));
}

/** Returns the cookie for a visitor who followed the link; null for a wrong key. */
export function cookieFor(given: string, key: string): string | null {
  return isSame(given, key) ? `${cookieName}=${key}; Path=/; HttpOnly; SameSite=Strict` : null;
}

/** True for a form of the forge's own pages, which prevents cross-site request forgery. */
export function isFromOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
