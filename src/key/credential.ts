// The credential of a request: the `Authorization` header if there is one, otherwise the cookie of
// a browser session. With the cookie, a request that changes something must come from a page of the
// service. `queries/keys.ts` issues keys and stores only their hashes; `findCaller` in
// `http/authenticate.ts` refuses one that is unknown, revoked or expired.

import { type Refusal, refuse } from "../rules/refusal.ts";
import { checkSameOrigin } from "./same-origin.ts";

export const sessionCookie = "svc_session";

const bearerToken = /^svc_(key|agt|crn|rly|cli)_[A-Za-z0-9_-]{43}$/;
/** The start of every credential of this service, anywhere in a header. */
const ownToken = /svc_[a-z]{3}_/i;
const browserToken = /^svc_ses_[A-Za-z0-9_-]{43}$/;

const missing = refuse(
  "UNAUTHORIZED",
  "The request has no credential. Send an API key: `Authorization: Bearer svc_key_…`.",
);
const malformed = refuse(
  "UNAUTHORIZED",
  "The credential has an unknown format. Send an API key as it was shown: `Authorization: Bearer svc_key_…`.",
);

/** Reads the credential of a request. Refuses a missing or malformed one. */
export function readCredential(request: Request, publicUrl: string): string | Refusal {
  const header = request.headers.get("authorization");
  if (header !== null) return findBearer(header) ?? malformed;
  const cookie = findCookie(request, sessionCookie);
  if (cookie === null) return missing;
  if (!isBrowserToken(cookie)) return malformed;
  return checkSameOrigin(request, publicUrl) ?? cookie;
}

/** True for the credential of a browser session, false for an API key. */
function isBrowserToken(credential: string): boolean {
  return browserToken.test(credential);
}

/** The cookie that starts a browser session. */
export function createSessionCookie(token: string, lifetimeMs: number): string {
  return `${sessionCookie}=${token}; Path=/; Max-Age=${lifetimeMs / 1000}; HttpOnly; Secure; SameSite=Lax`;
}

/** The cookie that ends a browser session. */
export const endingCookie = createSessionCookie("", 0);

const triggerKey = /^svc_trg_[A-Za-z0-9_-]{43}$/;

/** The key of an HTTP trigger in a request; null without a well-formed one. */
export function findTriggerKey({ headers }: Pick<Request, "headers">): string | null {
  return findBearer(headers.get("authorization") ?? "", triggerKey);
}

/**
 * The token of a bearer header in any spelling: the case of the scheme and the number of spaces or
 * tabs after it do not matter.
 */
function findBearer(header: string, form = bearerToken): string | null {
  const [scheme = "", token = "", ...rest] = header.trim().split(/[ \t]+/);
  return scheme.toLowerCase() === "bearer" && rest.length === 0 && form.test(token) ? token : null;
}

/**
 * True for an `Authorization` header with a credential of this service. Such a header is never
 * forwarded to a previewed service, whether it is well-formed or not.
 */
export function hasOwnCredential(header: string): boolean {
  return findBearer(header) !== null || ownToken.test(header) || ownToken.test(parsePassword(header));
}

/** The decoded content of a basic header; empty for any other header. */
function parsePassword(header: string): string {
  const [scheme = "", encoded = ""] = header.trim().split(/[ \t]+/);
  if (scheme.toLowerCase() !== "basic") return "";
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}

/** The value of a request's cookie; null without it. */
export function findCookie(request: Request, name: string): string | null {
  const cookies = (request.headers.get("cookie") ?? "").split(/;\s*/);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}
