// Access to the pages and to the sign-in: the link that `npm start` prints contains a key, which a
// cookie then stores. Programs in a sandbox reach this server too, but have no key.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "practice_forge";

/** The key of a code host's pages. It grants nothing else. */
export function createPageKey(token: string): string {
  return createHmac("sha256", token).update("the pages of the practice code host").digest("base64url");
}

/** Somebody who follows the link, somebody who followed it before, or anybody else. */
export type Visitor = { kind: "enters"; cookie: string } | { kind: "in" } | { kind: "stranger" };

/**
 * Identifies the kind of visitor. The cookie is lax, because a browser comes to the sign-in from a
 * page of the service.
 */
export function getVisitor({ headers }: IncomingMessage, url: URL, key: string): Visitor {
  const wanted = `${cookieName}=${key}`;
  if (isSame(url.searchParams.get("key") ?? "", key)) {
    return { kind: "enters", cookie: `${wanted}; Path=/; HttpOnly; SameSite=Lax` };
  }
  const isIn = (headers.cookie ?? "").split("; ").some((cookie) => isSame(cookie, wanted));
  return { kind: isIn ? "in" : "stranger" };
}

/** True for a form of the code host's own pages, which prevents cross-site request forgery. */
export function isFromOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
