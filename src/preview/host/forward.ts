// Rewrites a visitor's request for the previewed service: strips the headers and cookies of
// Switchyard and of its platform.
import { hasOwnCredential, sessionCookie } from "../../key/credential.ts";
import { type Program, throwIfAnother } from "../../sandbox/program/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../../sandbox/program/driver.ts";
import {
  bootHeader,
  brokenHeader,
  carriedPortHeader,
  carrierHeader,
  unreachableHeader,
} from "../../sandbox-protocol/headers.ts";
import { authTokenCookie, authTokenParam, type PortGrant } from "./address.ts";

/** Headers of the platform, which would reveal the visitor or the network path to a service. */
const platformHeaders =
  /^(cf-|mf-|x-preview-|x-sandbox-)|^(cdn-loop|true-client-ip|x-real-ip|forwarded|x-forwarded-(for|port|server))$/;
const ownCookies = [`${authTokenCookie}=`, `${sessionCookie}=`];

/** Returns the request to forward to `url`, for the port of a grant. */
export function rewriteRequest(request: Request, url: URL, { port, ...grant }: PortGrant): Request {
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (platformHeaders.test(name)) headers.delete(name);
  headers.set(previewPortHeader, String(port));
  headers.set(previewGrantHeader, JSON.stringify(grant));
  headers.set("x-forwarded-host", url.host);
  // Without this header the runtime requests compressed content, which a visitor that accepts none
  // cannot read.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  headers.set("x-forwarded-proto", url.protocol.replace(":", ""));
  // Any other credential is for the previewed service.
  if (hasOwnCredential(headers.get("authorization") ?? "")) headers.delete("authorization");
  const cookies = allCookies(request).filter((cookie) => !ownCookies.some((own) => cookie.startsWith(own)));
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  else headers.delete("cookie");
  const referrer = URL.parse(headers.get("referer") ?? "");
  if (referrer?.searchParams.has(authTokenParam)) {
    referrer.search = deleteToken(referrer.search);
    headers.set("referer", referrer.href);
  }
  return new Request(url, new Request(request, { headers, redirect: "manual" }));
}

/**
 * Returns a query without the Auth Token and otherwise unchanged: `?import` and `?import=` differ
 * for some services.
 */
export function deleteToken(search: string): string {
  const parts = search.slice(1).split("&");
  // The name may be percent-encoded. The `&` preserves a part that starts with `?`.
  return parts.filter((part) => !new URLSearchParams(`&${part}`).has(authTokenParam)).join("&");
}

/** Returns the values of all cookies with a name. */
export function listCookies(request: Request, name: string): string[] {
  return allCookies(request)
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
}

function allCookies(request: Request): string[] {
  return (request.headers.get("cookie") ?? "").split(/;\s*/).filter((cookie) => cookie !== "");
}

/** The header that names the port of the sandbox. */
export const previewPortHeader = "x-preview-port";
/** The header with the grant of the request, as JSON. */
export const previewGrantHeader = "x-preview-grant";

/**
 * Forwards a preview request from the sandbox's object to the port that its header names. The
 * response has `unreachableHeader` if no service responded.
 */
export async function forwardToPort(driver: SandboxDriver, program: Program, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  const port = Number(headers.get(previewPortHeader));
  headers.delete(previewPortHeader);
  headers.delete(previewGrantHeader);
  try {
    const answer = await fetchFromService(driver, program, port, new Request(request, { headers }));
    if (!answer.headers.has(brokenHeader)) return answer;
    await answer.body?.cancel();
    return createUnreachableResponse();
  } catch (error) {
    if (!(error instanceof SandboxUnreachable)) throw error;
    return createUnreachableResponse();
  }
}

/** True if no service accepted the request, or the connection broke before a response. */
export function isUnreachable(answer: Response): boolean {
  return answer.headers.has(unreachableHeader);
}

/** The response if no service has responded. */
function createUnreachableResponse(): Response {
  return new Response(null, { status: 503, headers: { [unreachableHeader]: "1" } });
}

/**
 * Sends a request or a WebSocket handshake to a service of the sandbox, by its declared port.
 * Throws SandboxUnreachable if nothing accepts it. Returns 502 with `brokenHeader` if the
 * connection breaks before a response, or for a status that cannot be sent.
 */
export async function fetchFromService(
  driver: SandboxDriver,
  { secret, bootId = null }: Program,
  port: number,
  request: Request,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(carriedPortHeader, String(port));
  headers.set(carrierHeader, secret);
  const answer = await driver.fetch(new Request(request, { headers }));
  await throwIfAnother(answer, bootId);
  const { status, webSocket } = answer;
  if (!webSocket && !isForwardable(status)) {
    await answer.body?.cancel();
    return new Response(null, { status: 502, headers: { [brokenHeader]: "1" } });
  }
  const own = new Response(answer.body, webSocket ? { status, webSocket, headers: answer.headers } : answer);
  own.headers.delete(bootHeader);
  return own;
}

/** False for a status that the platform cannot send. */
const isForwardable = (status: number) => status >= 200 && status <= 599;
