// The console: one page for all of its paths, and the hashed files that the page loads. They are in
// the bucket, so a page that was open before a deployment still finds its own files.
import type { Env } from "../env.ts";
import { toRefusalResponse } from "../http/response.ts";
import { formatContentPolicy } from "../pages/document.tsx";
import { renderMessagePage } from "../pages/message-page.tsx";
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
    return renderMessagePage(
      {
        tone: "coming",
        heading: "The console is on its way",
        text: "It is being built. This page loads it by itself.",
      },
      { status: 503, headers: { "retry-after": "2", refresh: "2" } },
    );
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

const mediaTypes: Record<string, string> = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** Answers a path below `/_sy/`. The name of a file changes with its content. */
export async function sendConsoleFile(env: Env, name: string): Promise<Response> {
  const mediaType = mediaTypes[name.split(".").at(-1) ?? ""];
  const file = mediaType === undefined ? null : await env.STORE.get(consoleKey(`_sy/${name}`));
  if (file === null)
    return toRefusalResponse(refuse("NOT_FOUND", "The console has no such file. Load the page again."));
  return new Response(file.body, {
    headers: { "content-type": `${mediaType}; charset=utf-8`, "cache-control": "public, max-age=31536000, immutable" },
  });
}

/** The files whose addresses never change, because browsers keep them: with each media type. */
const fixedFiles: Record<string, string> = {
  "sw.js": "text/javascript",
  "site.webmanifest": "application/manifest+json",
  "icon.svg": "image/svg+xml",
};
export const consoleFilePaths = Object.keys(fixedFiles).map((name) => `/${name}`);

/** Answers a path of `consoleFilePaths`. */
export async function sendFixedConsoleFile(env: Env, path: string): Promise<Response> {
  const name = path.slice(1);
  const file = await env.STORE.get(consoleKey(name));
  if (file === null) return toRefusalResponse(refuse("NOT_FOUND", "The console is not there yet. Try again soon."));
  return new Response(file.body, {
    headers: {
      "content-type": `${fixedFiles[name]}; charset=utf-8`,
      // The service worker loads nothing, and neither does the picture when it is opened by itself.
      "content-security-policy": "default-src 'none'",
    },
  });
}
