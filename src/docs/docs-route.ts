// The pages of the docs, which are the same for everybody: a range of one object in the bucket.
import type { Env } from "../env.ts";
import { hasTag } from "../http/response.ts";
import { immutable, mediaTypes } from "../lib/media-types.ts";
import { formatContentPolicy } from "../pages/document.tsx";
import { renderWaitingPage } from "../pages/message-page.tsx";
import { type DocsEntry, type DocsIndex, docsIndexKey, docsMissing, docsStart } from "./docs-key.ts";

const policy = formatContentPolicy({
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'",
});

/** Answers a path of the docs. */
export async function sendDocs({ url, headers }: Request, env: Env): Promise<Response> {
  const { pathname, search } = new URL(url);
  const path = pathname === docsStart ? pathname : pathname.replace(/\/+$/, "");
  const canonical = path === docsStart.slice(0, -1) ? docsStart : path;
  if (canonical !== pathname) return new Response(null, { status: 308, headers: { location: canonical + search } });
  const index = await (await env.STORE.get(docsIndexKey))?.json<DocsIndex>();
  if (!index) return sendWaitingPage();
  const found = path !== docsMissing && Object.hasOwn(index.files, path) ? index.files[path] : undefined;
  const entry = found ?? index.files[docsMissing];
  if (!entry) return sendWaitingPage();
  const sent = toHeaders(entry, found !== undefined && isHashed.test(path));
  if (found && hasTag(headers, `"${entry.tag}"`)) return new Response(null, { status: 304, headers: sent });
  const range = { offset: entry.at, length: entry.length };
  const bytes = await env.STORE.get(index.pack, { range });
  return bytes ? new Response(bytes.body, { status: found ? 200 : 404, headers: sent }) : sendWaitingPage();
}

/** The name of a script or a style, which changes with its content. */
const isHashed = /-[0-9a-f]{12}\.(js|css|json)$/;

function toHeaders({ kind, tag }: DocsEntry, isImmutable: boolean): Record<string, string> {
  return {
    "content-type": mediaTypes[kind],
    etag: `"${tag}"`,
    "cache-control": isImmutable ? immutable : "public, no-cache",
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
  };
}

const sendWaitingPage = () =>
  renderWaitingPage("The docs are on their way", "They are being built. This page loads them by itself.");
