// The origin of a request to a preview host. Frontends of one sandbox may read each other, because
// a project cannot know its preview origins and allow them itself. Browsers send the preview cookie
// with requests of foreign pages too, so those must be kept from forging requests and from framing.
import type { Env } from "../../env.ts";
import { type PreviewHost, parsePreviewOrigin } from "./address.ts";

/** Returns the request's origin if it is another frontend of the same sandbox, otherwise null. */
export function findCorsOrigin(
  request: Request,
  host: PreviewHost,
  env: Pick<Env, "PREVIEW_DOMAIN" | "PUBLIC_URL">,
): string | null {
  const origin = request.headers.get("origin") ?? "";
  const from = parsePreviewOrigin(origin, env);
  return from?.sandboxKey === host.sandboxKey && from.hostLabel !== host.hostLabel ? origin : null;
}

/** True for a CORS preflight. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/**
 * Returns a response that allows everything that a preflight requests. The actual request needs the
 * cookie.
 */
export function createPreflightResponse({ headers }: Request): Response {
  const answer = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  for (const what of ["method", "headers"]) {
    const wanted = headers.get(`access-control-request-${what}`);
    if (wanted !== null) answer.headers.set(`access-control-allow-${what === "method" ? "methods" : what}`, wanted);
  }
  return answer;
}

/** Lets pages of an origin read a response to a request with credentials. */
export function addAllowedOrigin({ headers }: Response, origin: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-credentials", "true");
  headers.append("vary", "origin");
}

const framed = ["iframe", "frame", "fencedframe", "embed", "object"];
const reads = ["GET", "HEAD"];

/** True if a browser opens a page: by `Sec-Fetch-Mode`, or without that header by `Accept`. */
export function isNavigation({ method, headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate";
  return method === "GET" && headers.get("accept")?.includes("text/html") === true;
}

/** True for a document in a frame. */
export function isFramed({ headers }: Request): boolean {
  return framed.includes(headers.get("sec-fetch-dest") ?? "");
}

/**
 * False for the requests that an open page makes by itself, such as polling. Those must not wake a
 * sandbox.
 */
export function isVisit(request: Request): boolean {
  if (request.headers.has("upgrade")) return false;
  return !request.headers.has("sec-fetch-site") || isNavigation(request);
}

/**
 * False for a request that comes from a foreign page. Such a page may only open the preview in a
 * tab.
 */
export function isAllowedOrigin(request: Request, host: PreviewHost, env: Pick<Env, "PREVIEW_DOMAIN" | "PUBLIC_URL">) {
  const { headers, method } = request;
  const isOfSandbox = (address: string) => parsePreviewOrigin(address, env)?.sandboxKey === host.sandboxKey;
  const site = headers.get("sec-fetch-site");
  // The browser sets this header even if the page's referrer policy hides its origin.
  if (site === "same-origin") return true;
  const origin = headers.get("origin");
  const isRead = reads.includes(method);
  if (!isRead && origin !== null) return isOfSandbox(origin);
  if (site === "none") return true;
  const referrer = headers.get("referer") ?? "null";
  if (isRead && headers.get("sec-fetch-mode") === "navigate") {
    return !isFramed(request) || isOfSandbox(referrer) || isOfService(referrer, env);
  }
  // A WebSocket handshake may have only an Origin. A client other than a browser sends none of
  // these headers.
  const source = origin ?? (site === null ? null : referrer);
  return source === null || isOfSandbox(source);
}

/**
 * True for a page of the service itself, such as the page of a public link, which frames the
 * preview.
 */
function isOfService(address: string, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): boolean {
  return URL.parse(address)?.origin === new URL(PUBLIC_URL).origin;
}
