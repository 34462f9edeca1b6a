// The page that leads a member back to a preview whose URL has expired, for visitors who cannot be
// redirected.

import { getSandboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { renderPage } from "../../pages/document.tsx";
import { renderMessagePage } from "../../pages/message-page.tsx";
import { listFrontends } from "../../project/rules/frontends.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { createFrontendUrls, parsePreviewHost } from "../host/address.ts";
import { findPreviewOwner, findPreviewTarget } from "../queries/targets.ts";
import { createGrant, findPreviewSandboxOwner } from "../wake.ts";

/** Asks a visitor to sign in. Says nothing about the preview, which may not exist. */
const signInForPreview = (path: string): Response =>
  renderMessagePage(
    { tone: "resting", heading: "Sign in to open the preview", text: "Only members of its workspace can open it." },
    {
      status: 200,
      action: (
        <a class="button" href={`/api/auth/github/connect?returnTo=${encodeURIComponent(path)}`}>
          Sign in
        </a>
      ),
    },
  );

/**
 * Says that no preview is open to the member here: it does not exist, or belongs to another
 * workspace.
 */
const noPreviewHere = (): Response =>
  renderMessagePage(
    {
      tone: "ended",
      heading: "You cannot open this preview",
      text: "Its session may have ended, or you are not a member of its workspace.",
    },
    {
      status: 404,
      action: (
        <a class="button" href="/account">
          Your account
        </a>
      ),
    },
  );

/** Says why the preview does not open now, and offers another attempt. */
const previewNotNow = (text: string, path: string): Response =>
  renderMessagePage(
    { tone: "resting", heading: "The preview cannot be opened now", text },
    {
      status: 503,
      action: (
        <a class="button" href={path}>
          Try again
        </a>
      ),
    },
  );

/**
 * Handles `GET /previews/{host}`: redirects a signed-in member back to a preview whose URL has
 * expired. Auth Tokens live for minutes, tabs for days. The visit that follows wakes a paused
 * preview.
 */
export async function reopenPreview(request: Request, env: Env, name: string): Promise<Response> {
  const now = Date.now();
  const { pathname, search, searchParams } = new URL(request.url);
  const known = await authenticate(env, request, { action: "code-host.connect", noun: "none", params: {} }, now);
  if (isRefusal(known)) {
    return known.code === "UNAUTHORIZED"
      ? signInForPreview(pathname + search)
      : previewNotNow(known.message, pathname + search);
  }
  const host = parsePreviewHost(`${name}.${env.PREVIEW_DOMAIN}`, env.PREVIEW_DOMAIN);
  const owner = host && (await findPreviewOwner(env.DB, host.sandboxKey));
  if (!host || !owner) return noPreviewHere();
  const params = { projectId: owner.projectId };
  const member = await authenticate(env, request, { action: "sandbox.use", noun: "project", params }, now);
  if (isRefusal(member)) return noPreviewHere();
  const target = await findPreviewTarget(env.DB, owner.projectId, owner.sessionId);
  if (!target || !findPreviewSandboxOwner(target)) return noPreviewHere();
  const layout = (await getSandboxObject(env, host.sandboxKey).layout()).services ?? target.project.settings.services;
  const frontend = listFrontends(layout).find(({ hostLabel }) => hostLabel === host.hostLabel);
  if (!frontend) return noPreviewHere();
  const grant = createGrant(target, member.caller);
  const { [frontend.key]: address = "" } = await createFrontendUrls(env, grant, listFrontends(layout), now);
  return new Response(null, { status: 302, headers: { location: atPath(address, searchParams.get("path") ?? "/") } });
}

/** The URL of another path on the same preview host, with the Auth Token. */
function atPath(address: string, path: string): string {
  const url = new URL(address);
  const asked = URL.parse(path.replace(/^[/\\]*/, "/"), url);
  if (asked?.origin !== url.origin) return address;
  asked.search = asked.search === "" ? url.search : `${asked.search}&${url.search.slice(1)}`;
  return asked.href;
}

/**
 * The page between a framed URL with an Auth Token and the preview. It navigates by itself and
 * replaces itself in the history, so that browsers count the next request as the preview's own and
 * not as the framing page's.
 */
export function renderThreshold(path: string): Response {
  return renderPage({
    title: "Opening the preview",
    style: "",
    // Without scripts, the visitor follows the link.
    script: `document.querySelector("a").hidden = true; location.replace(document.querySelector("a").href);`,
    children: (
      <main class="alone">
        <a href={path}>Open the preview</a>
      </main>
    ),
  });
}
