// The console: one page for all of its paths, and the hashed files that the page loads. They are in
// the bucket, so a page that was open before a deployment still finds its own files.
import type { Env } from "../env.ts";
import { toRefusalResponse } from "../http/response.ts";
import { immutable, mediaTypes } from "../lib/media-types.ts";
import { formatContentPolicy } from "../pages/document.tsx";
import { renderWaitingPage } from "../pages/message-page.tsx";
import { getPreviewOrigins } from "../preview/host/address.ts";
import { refuse } from "../rules/refusal.ts";
import { consoleKey } from "./console-key.ts";

/** The paths that the console draws. */
export const consolePaths = [
  "/",
  "/s/:session",
  "/sessions",
  "/projects",
  "/p/:project",
  "/p/:project/:part",
  "/activity",
  "/crons",
  "/crons/:cron",
  "/crons/:cron/runs/:run",
  "/account",
  "/account/:part",
  "/w/:workspace",
  "/w/:workspace/:part",
];

/** Answers a browser at a path of the console. */
export async function renderConsole(env: Env): Promise<Response> {
  const page = await env.STORE.get(consoleKey("index.html"));
  if (page === null)
    return renderWaitingPage("The console is on its way", "It is being built. This page loads it by itself.");
  const previews = getPreviewOrigins(env);
  return new Response(page.body, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": formatContentPolicy({
        "default-src": "'none'",
        "script-src": "'self'",
        // Inline styles can load nothing: images and fonts have sources of their own.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "font-src": "'self'",
        // Not every browser counts a WebSocket of the same host as `'self'`.
        "connect-src": `'self' ${new URL(env.PUBLIC_URL).origin.replace(/^http/, "ws")} ${previews}`,
        "frame-src": previews,
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "default",
      }),
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      "referrer-policy": "same-origin",
      "x-frame-options": "DENY",
    },
  });
}

/** The files whose addresses never change, because browsers keep them. */
export const consoleFilePaths = [
  "/sw.js",
  "/scheme.js",
  "/site.webmanifest",
  "/icon.svg",
  "/icon-192.png",
  "/icon-512.png",
  "/apple-touch-icon.png",
];

/** Answers a path below `/_sy/`. The name of a file changes with its content. */
export const sendConsoleFile = (env: Env, name: string): Promise<Response> =>
  sendFile(env, `_sy/${name}`, { "cache-control": immutable });

/** Answers a path of `consoleFilePaths`. */
export const sendFixedConsoleFile = (env: Env, path: string): Promise<Response> =>
  // The service worker loads nothing, and neither does the picture when it is opened by itself.
  sendFile(env, path.slice(1), { "content-security-policy": "default-src 'none'" });

const typesByEnding: Record<string, string> = mediaTypes;

/** Answers with a file of the console, whose name decides its media type. */
export async function sendFile(env: Env, path: string, headers: Record<string, string>): Promise<Response> {
  const mediaType = typesByEnding[path.split(".").at(-1) ?? ""];
  const file = mediaType && (await env.STORE.get(consoleKey(path)));
  if (!file) return toRefusalResponse(refuse("NOT_FOUND", "The console has no such file. Load the page again."));
  return new Response(file.body, { headers: { "content-type": mediaType, ...headers } });
}
