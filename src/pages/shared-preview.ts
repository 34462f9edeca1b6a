// The page at a public link's address: it leads to the preview when that is there, and says what is the matter when it is not.
import { html } from "hono/html";
import { viewSharedPreview } from "../actions/view-shared-preview.ts";
import type { Env } from "../env.ts";
import type { UnavailableReason } from "../rules/preview.ts";
import { findSharedTarget, noteView } from "../storage/queries/previews.ts";

const reasons: Record<UnavailableReason, string> = {
  session_ended: "The session behind this link has ended.",
  not_running: "The preview cannot be started now. Ask whoever gave you the link.",
  no_frontends: "The project runs, but none of its services serves a preview.",
};

/** Answers a visitor of a public link. */
export async function sharedPreviewPage(env: Env, slug: string): Promise<Response> {
  const now = Date.now();
  const target = await findSharedTarget(env.DB, slug);
  if (!target) return page("Link not found", "This link does not exist, or has been revoked.", { status: 404 });
  await noteView(env.DB, slug, now);
  const view = await viewSharedPreview(env, target, now);
  const title = view.sessionTitle ?? view.projectName;
  switch (view.status) {
    case "ready": {
      const location = view.frontends.find(({ isServing }) => isServing)?.url ?? "/";
      return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
    }
    case "starting":
      return page(title, "The preview is starting. This page goes on by itself.", { status: 200, reloadSeconds: 2 });
    case "unavailable":
      return page(title, reasons[view.reason ?? "not_running"], { status: 200 });
  }
}

async function page(
  title: string,
  text: string,
  { status, reloadSeconds }: { status: number; reloadSeconds?: number },
): Promise<Response> {
  const body = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style>
          body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; color-scheme: light dark; }
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p role="status">${text}</p>
        </main>
      </body>
    </html>`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  const refresh: HeadersInit = reloadSeconds === undefined ? {} : { refresh: String(reloadSeconds) };
  return new Response(body.toString(), { status, headers: { ...headers, ...refresh } });
}
