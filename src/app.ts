// The Worker's routes (the public API, pages and the endpoints for sandboxes), its middleware, and
// its responses to unknown paths and errors.
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import { handleDevSignIn } from "./account/dev-sign-in-route.ts";
import { toBrowserResponse } from "./account/page/failed-sign-in.tsx";
import { sendPicture } from "./account/routes/profile.ts";
import { receiveArtifact } from "./artifact/upload-route.ts";
import { handleToolCall } from "./chat/tool-route.ts";
import { openTurnLink, receiveGivenOutcome, receiveOutput, sendAttachment, sendGiven } from "./chat/turn-routes.ts";
import { sendInstallScript, sendProgram } from "./cli/cli-route.ts";
import { handleGitRequest } from "./code-host/git/gateway-route.ts";
import {
  consoleFilePaths,
  consolePaths,
  renderConsole,
  sendConsoleFile,
  sendFixedConsoleFile,
} from "./console/console-route.ts";
import { handleDevCronDue } from "./cron/dev-due-route.ts";
import { addFormerCronRoutes } from "./cron/routes/removed.ts";
import { sendDocs } from "./docs/docs-route.ts";
import { endpoints } from "./endpoints.ts";
import type { Env } from "./env.ts";
import { addEndpoints } from "./http/endpoint.ts";
import { findNearestPath } from "./http/nearest-path.ts";
import { addTlsHeader, isPageRequest, pageRequestHeaders, toRefusalResponse } from "./http/response.ts";
import { handleDevice, renderDevice } from "./key/page/device.tsx";
import { releaseBytes } from "./lib/byte-budget.ts";
import { discardRest } from "./lib/byte-stream.ts";
import { getStackTrace } from "./lib/error-text.ts";
import { createId } from "./lib/ids.ts";
import { log, withRequestId } from "./lib/log.ts";
import { handleMcpRequest } from "./mcp/route.ts";
import { forwardModelCall } from "./model-gateway/gateway-route.ts";
import { handleConsent, renderConsent } from "./oauth/page/consent.tsx";
import { handleRegistration, revokeClientToken, sendTokens } from "./oauth/server-route.ts";
import { createResourceMetadata, createServerMetadata, oauthPaths } from "./oauth/wire.ts";
import { isDevSignInOpen } from "./one-machine.ts";
import { handleHealthProbe, handleOperatorCommand } from "./operator/route.ts";
import { toRefusalPage } from "./pages/refusal-page.tsx";
import { reopenPreview } from "./preview/page/reopened.tsx";
import { renderSharedPreview } from "./preview/page/shared-preview.tsx";
import { refuse } from "./rules/refusal.ts";
import { handleInvitation, renderInvitation } from "./workspace/page/invitation.tsx";

type App = { Bindings: Env; Variables: { requestId: string } };

/** Trailing slashes are ignored. */
// One router, because the others of the package would only add to what a Worker has to load.
export const app = new HonoBase<App>({ strict: false, router: new TrieRouter() });

const paths = [...new Set(endpoints.map(({ path }) => path))];

/** What a credential has to be (RFC 6750). */
function formatChallenge({ headers }: Request): string {
  return `Bearer realm="switchyard"${headers.has("authorization") ? ', error="invalid_token"' : ""}`;
}

/**
 * How much of the body of a refused call is read, in bytes. The model call of a long conversation
 * is smaller.
 */
const unreadBytes = 32 * 2 ** 20;

app.use(async (context, next) => {
  context.set("requestId", createId());
  await withRequestId(context.get("requestId"), next, context.req.raw.headers.get("x-client-version"));
  releaseBytes(context.req.raw);
  // The headers of a WebSocket upgrade cannot be changed.
  if (context.res.status === 101) return;
  context.header("x-request-id", context.get("requestId"));
  if (context.res.status === 401 && !context.res.headers.has("www-authenticate"))
    context.header("www-authenticate", formatChallenge(context.req.raw));
  // Responses are private to their caller, and public links can be revoked at any time. Only the
  // files of the console and the docs are the same for everybody.
  if (!context.res.headers.get("cache-control")?.startsWith("public")) context.header("cache-control", "no-store");
  context.header("x-content-type-options", "nosniff");
  addTlsHeader(context.res.headers, context.env);
  // An API response is never shown in a frame. Pages and files set their own policies.
  if (context.res.headers.get("content-type")?.startsWith("application/json")) {
    context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  }
});

// A browser that a person steers gets a page instead of JSON.
app.use("/api/*", async (context, next) => {
  await next();
  const isGet = context.req.method === "GET" && context.res.status !== 101;
  const page = isPageRequest(context.req.raw) ? await toRefusalPage(context.res) : null;
  if (page) {
    // Hono would copy the headers of the replaced response to the page.
    context.res = undefined;
    context.res = page;
  }
  if (isGet && context.res.status >= 400) context.header("vary", pageRequestHeaders);
});

app.use("/internal/*", async (context, next) => {
  await next();
  const { body, bodyUsed } = context.req.raw;
  // A sandbox that is still sending would see a closed connection instead of the refusal.
  if (context.res.status >= 400 && body && !bodyUsed) await discardRest(body, unreadBytes);
});
// Browsers are redirected here, so errors are shown as pages.
app.use("/api/auth/github/*", async (context, next) => {
  await next();
  const shown = await toBrowserResponse(context.req.raw, context.res);
  // Hono would copy the headers of the replaced response to the page.
  if (shown !== context.res) {
    context.res = undefined;
    context.res = shown;
  }
});

// A browser that opens one of these URLs gets the console. Other clients get the API.
for (const path of consolePaths)
  app.get(path, (context, next) => (isPageRequest(context.req.raw) ? renderConsole(context.env) : next()));
app.get("/_sy/:file", (context) => sendConsoleFile(context.env, context.req.param("file")));
for (const path of consoleFilePaths) app.get(path, (context) => sendFixedConsoleFile(context.env, path));
app.get("/api/projects/:projectId/chat-sessions/:sessionId", async (context, next) => {
  const isPage = isPageRequest(context.req.raw);
  if (isPage) context.res = context.redirect(`/s/${encodeURIComponent(context.req.param("sessionId"))}`);
  else await next();
  context.header("vary", pageRequestHeaders);
});

for (const path of ["/docs", "/docs/*", "/llms.txt", "/llms-api.txt"])
  app.get(path, (context) => sendDocs(context.req.raw, context.env));

addEndpoints(app, endpoints);
addFormerCronRoutes(app);

app.get("/cli", (context) => sendInstallScript(context.env));
app.get("/cli/sy.js", (context) => sendProgram(context.env));

for (const path of [oauthPaths.resourceMetadata, `${oauthPaths.resourceMetadata}/mcp`])
  app.get(path, ({ env }) => Response.json(createResourceMetadata(env.PUBLIC_URL)));
app.get(oauthPaths.serverMetadata, ({ env }) => Response.json(createServerMetadata(env.PUBLIC_URL)));
app.get(oauthPaths.authorize, (context) => renderConsent(context.req.raw, context.env));
app.post(oauthPaths.authorize, (context) => handleConsent(context.req.raw, context.env));
app.post(oauthPaths.register, (context) => handleRegistration(context.req.raw, context.env));
app.post(oauthPaths.token, (context) => sendTokens(context.req.raw, context.env));
app.post(oauthPaths.revoke, (context) => revokeClientToken(context.req.raw, context.env));

app.all("/mcp", (context) => handleMcpRequest(context.req.raw, context.env, endpoints));

app.get("/previews/:host", (context) => reopenPreview(context.req.raw, context.env, context.req.param("host")));

app.get("/device", (context) => renderDevice(context.req.raw, context.env));
app.post("/device", (context) => handleDevice(context.req.raw, context.env));

app.get("/pictures/:id", (context) => sendPicture(context.env, context.req.param("id")));

app.get("/invitations/:token", (context) => renderInvitation(context.req.raw, context.env, context.req.param("token")));
app.post("/invitations/:token", (context) =>
  handleInvitation(context.req.raw, context.env, context.req.param("token")),
);

app.post("/dev/sign-in", (context) =>
  isDevSignInOpen(context.env) ? handleDevSignIn(context.req.raw, context.env) : context.notFound(),
);

app.post("/dev/crons/:cronId/due", (context) =>
  isDevSignInOpen(context.env)
    ? handleDevCronDue(context.req.raw, context.env, context.req.param("cronId"))
    : context.notFound(),
);

app.get("/shared/:slug", (context) => renderSharedPreview(context.req.raw, context.env, context.req.param("slug")));

// The endpoints for sandboxes. Each checks the token of its caller.
app.get("/internal/turn-link", (context) => openTurnLink(context.req.raw, context.env));
app.get("/internal/attachments/:attachmentId", (context) =>
  sendAttachment(context.req.raw, context.env, context.req.param("attachmentId")),
);
app.get("/internal/given/:address", (context) => sendGiven(context.req.raw, context.env, context.req.param("address")));
app.put("/internal/given/:address", (context) =>
  receiveGivenOutcome(context.req.raw, context.env, context.req.param("address")),
);
app.put("/internal/outputs/:place", (context) =>
  receiveOutput(context.req.raw, context.env, context.req.param("place")),
);
app.post("/internal/tools/:tool", (context) => handleToolCall(context.req.raw, context.env, context.req.param("tool")));
app.post("/internal/operator", (context) => handleOperatorCommand(context.req.raw, context.env));
app.get("/internal/health", (context) => handleHealthProbe(context.req.raw, context.env));
app.put("/internal/artifacts", (context) => receiveArtifact(context.req.raw, context.env));
app.post("/internal/models/:provider/:path{.+}", (context) => {
  const { provider, path } = context.req.param();
  return forwardModelCall(context.req.raw, context.env, provider, `/${path}`);
});
app.all("/internal/git/:repository{[0-9a-f-]+\\.git}/:path{.+}", (context) => {
  const { repository, path } = context.req.param();
  return handleGitRequest(context.req.raw, context.env, repository.replace(/\.git$/, ""), path);
});

app.notFound(async ({ req }) => {
  const nearest = findNearestPath(req.path, paths);
  const hint = nearest === null ? "" : ` The nearest is \`${nearest}\`.`;
  const refused = toRefusalResponse(refuse("NOT_FOUND", `There is no such path.${hint}`));
  return (isPageRequest(req.raw) && (await toRefusalPage(refused))) || refused;
});

app.onError((error, context) => {
  const requestId = context.get("requestId");
  log.error("request.failed", { requestId, error, trace: getStackTrace(error) });
  const refusal = refuse("INTERNAL_ERROR", `Something broke on our side. Report the request id ${requestId}.`);
  const response = toRefusalResponse(refusal);
  response.headers.set("x-request-id", requestId);
  return response;
});
