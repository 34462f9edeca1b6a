// Rewrites the response of a previewed service for its visitor: cookies and redirects stay on the
// preview host, shared caches do not store it, and share pages can frame it.
import { authTokenCookie } from "./address.ts";

const loopback = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];
/**
 * Headers that would let a shared cache store the response, bypass the preview host or forbid the
 * frame of a share page.
 */
const removedHeaders = [
  "cdn-cache-control",
  "cloudflare-cdn-cache-control",
  "surrogate-control",
  "alt-svc",
  "expires",
  "x-frame-options",
];

const originKinds = ['"cache"', '"storage"', '"executionContexts"'];

/** Rewrites the response of the service at a port of the sandbox. */
export function rewriteResponse(answer: Response, port: number): Response {
  const response = new Response(answer.body, answer);
  const { headers } = response;
  for (const name of removedHeaders) headers.delete(name);
  headers.set("cache-control", forOneVisitor(headers.get("cache-control")));
  const policy = headers.get("content-security-policy");
  if (policy !== null) setOrDelete(headers, "content-security-policy", withoutFrameRule(policy));
  const cleared = headers.get("clear-site-data");
  if (cleared !== null) setOrDelete(headers, "clear-site-data", ofThisOrigin(cleared));
  const location = headers.get("location");
  if (location !== null) headers.set("location", onThisHost(location, port));
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) {
    headers.delete("set-cookie");
    for (const cookie of cookies) if (!isOurs(cookie)) headers.append("set-cookie", hostOnly(cookie));
  }
  return response;
}

/**
 * Shared caches must not store the response, and the browser's cache must revalidate: the visitor's
 * token may have expired since.
 */
function forOneVisitor(directives: string | null): string {
  const given = (directives ?? "").split(",").map((directive) => directive.trim().toLowerCase());
  if (given.includes("no-store")) return "no-store";
  return given.includes("no-transform") ? "private, no-cache, no-transform" : "private, no-cache";
}

/**
 * The Clear-Site-Data types of one origin. Cookies are cleared for the whole site, which all
 * previews share.
 */
function ofThisOrigin(cleared: string): string {
  const kinds = cleared.split(",").map((kind) => kind.trim());
  return originKinds.filter((kind) => kinds.includes(kind) || kinds.includes('"*"')).join(", ");
}

function withoutFrameRule(policy: string): string {
  const rules = policy
    .split(",")
    .map((one) => one.split(";").filter((rule) => !/^\s*frame-ancestors(\s|$)/i.test(rule)));
  return rules
    .map((one) => one.join(";").trim())
    .filter((one) => one !== "")
    .join(", ");
}

/**
 * Makes a redirect to the service's own loopback address relative, so that it stays on the preview
 * host.
 */
function onThisHost(location: string, port: number): string {
  // A scheme-relative URL.
  const url = URL.parse(/^[/\\]{2}/.test(location) ? `http:${location}` : location);
  if (!url || !/^https?:$/.test(url.protocol) || !loopback.includes(url.hostname) || url.port !== String(port))
    return location;
  return url.pathname.replace(/^\/+/, "/") + url.search + url.hash;
}

const isOurs = (cookie: string) => cookie.trimStart().startsWith(`${authTokenCookie}=`);

/**
 * Drops the Domain attribute: a cookie for the whole preview domain would be sent to other
 * previews.
 */
function hostOnly(cookie: string): string {
  const [pair = "", ...attributes] = cookie.split(";");
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute))].join(";");
}

function setOrDelete(headers: Headers, name: string, value: string): void {
  if (value === "") headers.delete(name);
  else headers.set(name, value);
}
