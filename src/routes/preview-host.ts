// The preview hosts: what a visitor's browser meets there. Requests and WebSockets go to the service's port when an Auth Token opens it.
// What is served here is untrusted; it lives on another site than the API, and neither's cookies reach the other.
import { sandboxObject } from "../../durable-objects/address.ts";
import { missPreview } from "../actions/preview/on-unreachable.ts";
import type { Env } from "../env.ts";
import { respondRefusal } from "../http/answer.ts";
import { newId } from "../ids.ts";
import { previewNotice } from "../pages/preview-notice.tsx";
import { previewThreshold } from "../pages/preview-threshold.tsx";
import {
  authTokenCookie,
  authTokenParam,
  openedPreview,
  type PreviewHost,
  parsePreviewHost,
  renewalPath,
} from "../preview/address.ts";
import { answered } from "../preview/answer.ts";
import { allowed, isPreflight, readableBy, siblingOrigin } from "../preview/cors.ts";
import { cookiesOf, forwarded, withoutToken } from "../preview/forward.ts";
import { wasUnreachable } from "../preview/request.ts";
import { isFramed, isNavigation, isOfOwnPages, isVisit } from "../preview/request-origin.ts";
import { traceOf } from "../reason.ts";
import { authTokenLifetimeMs } from "../rules/limits.ts";
import { refuse } from "../rules/refusal.ts";

/** Answers a request to a host under the preview domain. */
export async function servePreview(request: Request, env: Env): Promise<Response> {
  const requestId = newId();
  const answer = await answerTo(request, env).catch((error: unknown) => {
    console.error("preview request failed", requestId, traceOf(error));
    const words = `Something broke on our side. Tell us the request id ${requestId}.`;
    const refusal = respondRefusal(refuse("INTERNAL_ERROR", words));
    refusal.headers.set("cache-control", "no-store");
    return refusal;
  });
  // The opening of a WebSocket goes out as the object made it, and a service may number its answers itself.
  if (answer.status !== 101 && !answer.headers.has("x-request-id")) answer.headers.set("x-request-id", requestId);
  return answer;
}

async function answerTo(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const host = parsePreviewHost(url.host, env.PREVIEW_DOMAIN);
  if (!host) return previewNotice("unknown", request);
  const sibling = siblingOrigin(request, host, env);
  if (sibling === null) return await answerOn(host, url, request, env);
  const answer = isPreflight(request) ? allowed(request) : await answerOn(host, url, request, env);
  if (answer.status !== 101) readableBy(answer, sibling);
  return answer;
}

async function answerOn(host: PreviewHost, url: URL, request: Request, env: Env): Promise<Response> {
  const tokenInAddress = url.searchParams.get(authTokenParam);
  const now = Date.now();
  const openedByAddress = tokenInAddress === null ? null : await openedPreview(env, [tokenInAddress], host, now);
  const cookies = isOfOwnPages(request, host, env) ? cookiesOf(request, authTokenCookie) : [];
  // A token that is no good any more, as in a bookmark, shuts nobody out who has a cookie.
  const opened = openedByAddress ?? (await openedPreview(env, cookies, host, now));
  if (opened === null) return previewNotice("refused", request);
  if (opened === "unknown") return previewNotice("unknown", request);
  const newToken = openedByAddress === null ? null : tokenInAddress;
  if (url.pathname === renewalPath) return withCookie(new Response(null, { status: 204 }), newToken);
  url.search = withoutToken(url.search);
  if (tokenInAddress !== null && isNavigation(request)) {
    // The token leaves the address bar, and with it the history and every referrer. A path of two slashes would lead to another host.
    const location = url.pathname.replace(/^\/+/, "/") + url.search;
    // What a redirect leads to is still asked for by the framing page, which need not say who it is.
    const led = isFramed(request)
      ? previewThreshold(location)
      : new Response(null, { status: 302, headers: { location } });
    return withCookie(led, newToken);
  }
  const answer = await sandboxObject(env, host.sandboxKey).fetch(forwarded(request, url, opened.port));
  if (wasUnreachable(answer)) return previewNotice(await missPreview(env, opened, isVisit(request)), request);
  return answer.webSocket ? answer : withCookie(answered(answer, opened.port), newToken);
}

/** Keeps a token that stood in the address as a cookie of its host. */
function withCookie(answer: Response, token: string | null): Response {
  if (token === null) return answer;
  const response = new Response(answer.body, answer);
  const { headers } = response;
  // A share page frames the preview from another site, so the cookie has to be allowed there, and kept apart for each such page.
  headers.append(
    "set-cookie",
    `${authTokenCookie}=${token}; Path=/; Max-Age=${authTokenLifetimeMs / 1000}; HttpOnly; Secure; SameSite=None; Partitioned`,
  );
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "same-origin");
  return response;
}
