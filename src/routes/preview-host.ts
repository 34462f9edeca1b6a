// The preview hosts: what a visitor's browser meets there. Requests and WebSockets go to the service's port when an Auth Token opens it.
// What is served here is untrusted; it lives on another site than the API, and neither's cookies reach the other.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { authTokenLifetimeMs } from "../rules/limits.ts";
import { authTokenCookie, authTokenParam, openedPort, parsePreviewHost } from "../sandbox/preview-address.ts";
import { toPort, wasUnreachable } from "../sandbox/preview-request.ts";

const notServed: Record<401 | 503, string> = {
  401: "This preview needs a fresh link. Open it again from Switchyard, or from the link you were given.",
  503: "Nothing answers here yet. The service may be starting or stopped; reload in a few seconds.",
};

/** Answers a request to a host under the preview domain. */
export async function servePreview(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const host = parsePreviewHost(url.host, env.PREVIEW_DOMAIN);
  if (!host) return refusal(401);
  const tokenInAddress = url.searchParams.get(authTokenParam);
  const port = await openedPort(env, tokenInAddress ?? cookieOf(request), host, Date.now());
  if (port === null) return refusal(401);
  url.search = withoutToken(url.search);
  if (tokenInAddress !== null && request.headers.get("sec-fetch-mode") === "navigate") {
    // The token leaves the address bar, and with it the history and every referrer. A path of two slashes would lead to another host.
    const location = url.pathname.replace(/^\/+/, "/") + url.search;
    return withCookie(new Response(null, { status: 302, headers: { location } }), tokenInAddress);
  }
  const answer = await sandboxObject(env, host.sandboxKey).fetch(toPort(forward(request, url), port));
  if (wasUnreachable(answer)) return refusal(503);
  return tokenInAddress === null || answer.webSocket ? answer : withCookie(answer, tokenInAddress);
}

/** The request as the service behind the preview gets it: without what belongs to Switchyard. */
function forward(request: Request, url: URL): Request {
  const headers = new Headers(request.headers);
  headers.set("x-forwarded-host", url.host);
  // A service may have bearer credentials of its own.
  if (/^bearer svc_/i.test(headers.get("authorization") ?? "")) headers.delete("authorization");
  const cookies = cookiesOf(request).filter((cookie) => !isToken(cookie));
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  else headers.delete("cookie");
  return new Request(url, new Request(request, { headers, redirect: "manual" }));
}

function withCookie(answer: Response, token: string): Response {
  const response = new Response(answer.body, answer);
  // A share page frames the preview from another site, so the cookie has to be allowed there, and kept apart for each such page.
  response.headers.append(
    "set-cookie",
    `${authTokenCookie}=${token}; Path=/; Max-Age=${authTokenLifetimeMs / 1000}; HttpOnly; Secure; SameSite=None; Partitioned`,
  );
  response.headers.set("referrer-policy", "same-origin");
  return response;
}

/** A query without the Auth Token, and otherwise letter for letter: `?import` is not `?import=` to every service. */
function withoutToken(search: string): string {
  const parts = search.slice(1).split("&");
  return parts.filter((part) => part.split("=", 1)[0] !== authTokenParam).join("&");
}

function cookiesOf(request: Request): string[] {
  return (request.headers.get("cookie") ?? "").split(/;\s*/).filter((cookie) => cookie !== "");
}

const isToken = (cookie: string) => cookie.startsWith(`${authTokenCookie}=`);

function cookieOf(request: Request): string | null {
  return (
    cookiesOf(request)
      .find(isToken)
      ?.slice(authTokenCookie.length + 1) ?? null
  );
}

function refusal(status: 401 | 503): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return new Response(`${notServed[status]}\n`, { status, headers });
}
