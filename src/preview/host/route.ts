// The preview hosts. Requests and WebSockets with a valid Auth Token are forwarded to the service's
// port. The content is untrusted, so it is on another site than the API, and neither gets the
// other's cookies.
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { renderArtifactView, renderSharedArtifact } from "../../artifact/page/shared-artifact.tsx";
import { sendFile } from "../../console/console-route.ts";
import type { Env } from "../../env.ts";
import { addTlsHeader, toRefusalResponse } from "../../http/response.ts";
import { getStackTrace } from "../../lib/error-text.ts";
import { createId } from "../../lib/ids.ts";
import { log, withRequestId } from "../../lib/log.ts";
import { authTokenLifetimeMs } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { explainUnreachable, findService } from "../explain-unreachable.ts";
import { renderThreshold } from "../page/reopened.tsx";
import { renderUnavailable } from "../page/unavailable.tsx";
import {
  authTokenCookie,
  authTokenParam,
  findGrant,
  getPreviewOrigins,
  getReopenUrl,
  type PreviewHost,
  paneParam,
  panePath,
  parseArtifactViewUrl,
  parsePreviewHost,
  parseSharedArtifactUrl,
  renewalPath,
} from "./address.ts";
import { deleteToken, isUnreachable, listCookies, rewriteRequest } from "./forward.ts";
import {
  addAllowedOrigin,
  createPreflightResponse,
  findCorsOrigin,
  isAllowedOrigin,
  isFramed,
  isNavigation,
  isPreflight,
  isVisit,
} from "./origin.ts";
import { rewriteResponse } from "./response.ts";

/** Responds to a request to a host under the preview domain. */
export async function handlePreview(request: Request, env: Env): Promise<Response> {
  const requestId = createId();
  const answer = await withRequestId(requestId, () => answerTo(request, env)).catch((error: unknown) => {
    log.error("preview_request.failed", { requestId, error, trace: getStackTrace(error) });
    const message = `Something broke on our side. Report the request id ${requestId}.`;
    const refusal = toRefusalResponse(refuse("INTERNAL_ERROR", message));
    refusal.headers.set("cache-control", "no-store");
    return refusal;
  });
  // The headers of a WebSocket upgrade cannot be changed, and a service may set its own request
  // ids.
  if (answer.status === 101) return answer;
  if (!answer.headers.has("x-request-id")) answer.headers.set("x-request-id", requestId);
  addTlsHeader(answer.headers, env);
  return answer;
}

async function answerTo(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const artifact = parseSharedArtifactUrl(url, env);
  if (artifact && request.method === "GET") return await renderSharedArtifact(request, env, artifact);
  const view = request.method === "GET" ? parseArtifactViewUrl(url, env) : null;
  if (view !== null) return await renderArtifactView(request, env, view);
  const host = parsePreviewHost(url.host, env.PREVIEW_DOMAIN);
  if (!host) return renderUnavailable("unknown", request);
  const origin = findCorsOrigin(request, host, env);
  if (origin === null) return await answerOn(host, url, request, env);
  const answer = isPreflight(request) ? createPreflightResponse(request) : await answerOn(host, url, request, env);
  if (answer.status !== 101) addAllowedOrigin(answer, origin);
  return answer;
}

async function answerOn(host: PreviewHost, url: URL, request: Request, env: Env): Promise<Response> {
  const tokenInAddress = url.searchParams.get(authTokenParam);
  const now = Date.now();
  const grantOfAddress = tokenInAddress === null ? null : await findGrant(env, [tokenInAddress], host, now);
  const cookies = isAllowedOrigin(request, host, env) ? listCookies(request, authTokenCookie) : [];
  // An expired token in the URL, such as in a bookmark, does not invalidate the cookie.
  const grant = grantOfAddress ?? (await findGrant(env, cookies, host, now));
  if (grant === null) {
    const path = url.pathname + withQuestionMark(deleteToken(url.search));
    return renderUnavailable("refused", request, { reopenUrl: getReopenUrl(env, host, path) });
  }
  if (grant === "unknown") return renderUnavailable("unknown", request);
  const newToken = grantOfAddress === null ? null : tokenInAddress;
  if (url.pathname === renewalPath) return withCookie(new Response(null, { status: 204 }), newToken);
  url.search = deleteToken(url.search);
  // The page between the console and the app looks into the app for the page that frames it. So it
  // is not for visitors with a link, and nothing but the console may frame it.
  const mayPoint = isFramed(request) && grant.linkMadeAt === null;
  if (tokenInAddress !== null && isNavigation(request)) {
    // The redirect removes the token from the address bar, the history and referrers. A path with
    // two leading slashes would lead to another host.
    const isForPane = mayPoint && url.searchParams.has(paneParam);
    const location = isForPane ? panePath : url.pathname.replace(/^\/+/, "/") + url.search;
    // In a frame, the request after a redirect still counts as the framing page's, which may be
    // foreign. So a page navigates instead.
    const redirect = isFramed(request)
      ? renderThreshold(location)
      : new Response(null, { status: 302, headers: { location } });
    return withCookie(redirect, newToken);
  }
  if (mayPoint && url.pathname === panePath) {
    const policy = `frame-src ${getPreviewOrigins(env)}; frame-ancestors ${new URL(env.PUBLIC_URL).origin}`;
    return await sendFile(env, "pane.html", { "cache-control": "no-store", "content-security-policy": policy });
  }
  const answer = await getSandboxObject(env, host.sandboxKey).fetch(rewriteRequest(request, url, grant));
  if (isUnreachable(answer)) {
    const reason = await explainUnreachable(env, grant, isVisit(request));
    const service = reason === "silent" && isVisit(request) ? await findService(env, grant) : null;
    return renderUnavailable(reason, request, { service });
  }
  return answer.webSocket ? answer : withCookie(rewriteResponse(answer, grant.port), newToken);
}

const withQuestionMark = (query: string) => (query === "" ? "" : `?${query}`);

/** Stores the token of the URL in a cookie of its host. */
function withCookie(answer: Response, token: string | null): Response {
  if (token === null) return answer;
  const response = new Response(answer.body, answer);
  const { headers } = response;
  // A share page frames the preview from another site: SameSite=None allows the cookie there, and
  // Partitioned separates it by framing site.
  headers.append(
    "set-cookie",
    `${authTokenCookie}=${token}; Path=/; Max-Age=${authTokenLifetimeMs / 1000}; HttpOnly; Secure; SameSite=None; Partitioned`,
  );
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "same-origin");
  return response;
}
