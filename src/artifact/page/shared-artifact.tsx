// One artifact of a public link or of a member's page, in a frame or in a tab. It has its own host
// under the preview domain, and the sandbox policy gives it an opaque origin. Its content cannot
// reach the service, and can load only what the policy allows.
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Env } from "../../env.ts";
import { checkVisitorLimit } from "../../http/rate-limit.ts";
import { verify } from "../../lib/signing.ts";
import { formatContentPolicy, renderPage } from "../../pages/document.tsx";
import { renderMessagePage } from "../../pages/message-page.tsx";
import {
  artifactNotFound,
  artifactUnavailable,
  linkNotFound,
  tooManyRequests,
  viewExpired,
} from "../../pages/shared-messages.ts";
import type { ArtifactView } from "../../preview/host/address.ts";
import { findSharedTarget } from "../../preview/queries/targets.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { readArtifact } from "../read.ts";
import type { MediaKind } from "../rules/artifact.ts";
import type { ReadArtifact } from "../wire/artifact.ts";
import { getLayout } from "./markdown.ts";
import style from "./shared-artifact.css";

/** Responds to a visitor of a public link who opens one of its artifacts. */
export async function renderSharedArtifact(
  request: Request,
  env: Env,
  { slug, artifactId }: { slug: string; artifactId: string },
): Promise<Response> {
  const framedBy = new URL(env.PUBLIC_URL).origin;
  const excess = await refuseExcess(request, env, framedBy);
  if (excess) return excess;
  const target = await findSharedTarget(env.DB, slug);
  if (!target) return renderMessagePage(linkNotFound, { status: 404, framedBy });
  if (!target.session) return renderMessagePage(artifactNotFound, { status: 404, framedBy });
  return await renderArtifact(env, target.session.id, artifactId);
}

/** Responds to a member whose page shows an artifact in a frame. The token says which. */
export async function renderArtifactView(request: Request, env: Env, token: string): Promise<Response> {
  const framedBy = new URL(env.PUBLIC_URL).origin;
  const now = Date.now();
  const view = await verify<ArtifactView>(env, "artifact-view", token, now);
  if (view === null) return renderMessagePage(viewExpired, { status: 403, framedBy });
  const excess = await refuseExcess(request, env, framedBy);
  return excess ?? (await renderArtifact(env, view.ownerId, view.artifactId));
}

async function refuseExcess(request: Request, env: Env, framedBy: string): Promise<Response | null> {
  const excess = await checkVisitorLimit(env, "SHARED_ARTIFACT_REQUESTS", request, Date.now(), "page");
  if (!isRefusal(excess)) return null;
  const headers = { "retry-after": String(excess.retryAfterSeconds ?? 60) };
  return renderMessagePage(tooManyRequests, { status: 429, headers, framedBy });
}

async function renderArtifact(env: Env, ownerId: string, artifactId: string): Promise<Response> {
  const framedBy = new URL(env.PUBLIC_URL).origin;
  const artifact = await readArtifact(env, ownerId, artifactId);
  if (!isRefusal(artifact)) return await artifactPage(env.STORE, artifact, framedBy);
  if (artifact.code === "NOT_FOUND") return renderMessagePage(artifactNotFound, { status: 404, framedBy });
  return renderMessagePage(artifactUnavailable, { status: 503, framedBy });
}

async function artifactPage(store: R2Bucket, { row, body, url }: ReadArtifact, framedBy: string): Promise<Response> {
  const { title, kind, bodyKey } = row;
  switch (kind) {
    case "html":
      return mockup(body ?? "", framedBy);
    case "markdown":
      return page(
        title,
        { "frame-ancestors": framedBy },
        <main class="document">{raw(await getLayout(store, bodyKey, body ?? ""))}</main>,
      );
    case "image":
    case "video":
      return page(
        title,
        { "img-src": `data: ${getOrigin(url)}`, "media-src": getOrigin(url), "frame-ancestors": framedBy },
        <Media kind={kind} title={title} url={url} />,
      );
  }
}

function Media({ kind, title, url }: { kind: MediaKind; title: string; url: string | null }) {
  return (
    <main class="media">
      {kind === "image" ? (
        <img src={url ?? ""} alt={title} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: an agent writes no captions beside a video.
        <video src={url ?? ""} aria-label={title} controls playsinline preload="metadata" />
      )}
    </main>
  );
}

function page(title: string, sources: Record<string, string>, children: Child): Response {
  const policy = {
    ...sources,
    // Scripts are disabled. The pages that its links open are not sandboxed.
    sandbox: "allow-popups allow-popups-to-escape-sandbox",
  };
  return renderPage({ title, style, policy, children });
}

/** An HTML page that the agent wrote. Its scripts run without network and without an origin. */
function mockup(html: string, framedBy: string): Response {
  const policy = {
    "default-src": "'none'",
    "script-src": "'unsafe-inline' 'unsafe-eval' data: blob:",
    "worker-src": "data: blob:",
    "style-src": "'unsafe-inline' data:",
    "img-src": "data: blob:",
    "media-src": "data: blob:",
    "font-src": "data:",
    "connect-src": "data: blob:",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": framedBy,
    sandbox: "allow-scripts",
  };
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": formatContentPolicy(policy),
      "permissions-policy": "camera=(), microphone=(), geolocation=(), display-capture=(), clipboard-read=()",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
    },
  });
}

const getOrigin = (url: string | null) => (url === null ? "'none'" : new URL(url).origin);
