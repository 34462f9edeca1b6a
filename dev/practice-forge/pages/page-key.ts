// Access to the forge's pages and to its sign-in: the link that `npm start` prints contains a key,
// which a cookie stores afterwards. What runs in a sandbox reaches the forge too, and has no key.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "practice_forge";

/** The key of a forge's pages. It grants nothing else. */
export function pageKey(token: string): string {
  return createHmac("sha256", token).update("the pages of the practice forge").digest("base64url");
}

/** Somebody who follows the link, somebody who followed it before, or anybody else. */
export type Visitor = { kind: "enters"; cookie: string } | { kind: "in" } | { kind: "stranger" };

/**
 * Tells visitors apart. The cookie is lax: a browser comes to the sign-in from a page of the
 * service.
 */
export function visitorOf({ headers }: IncomingMessage, url: URL, key: string): Visitor {
  const wanted = `${cookieName}=${key}`;
  if (isSame(url.searchParams.get("key") ?? "", key)) {
    return { kind: "enters", cookie: `${wanted}; Path=/; HttpOnly; SameSite=Lax` };
  }
  const isIn = (headers.cookie ?? "").split("; ").some((cookie) => isSame(cookie, wanted));
  return { kind: isIn ? "in" : "stranger" };
}

/** True for a form of the forge's own pages, which prevents cross-site request forgery. */
export function isFromOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
