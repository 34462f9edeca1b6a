// The page of a public link: the preview in a frame, or a message while it is unavailable. The
// server renders the current state; the page's script keeps it up to date.
import { raw } from "hono/html";
import artifactsScript from "../../artifact/page/shared-artifact.browser.js";
import type { Env } from "../../env.ts";
import { checkVisitorLimit } from "../../http/rate-limit.ts";
import { renderPage } from "../../pages/document.tsx";
import { Mark, MessagePanel, type MessageText, renderMessagePage } from "../../pages/message-page.tsx";
import { linkNotFound, type PageState, pageMessages, tooManyRequests } from "../../pages/shared-messages.ts";
import { authTokenLifetimeMs } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { getPreviewOrigins, getSharedArtifactUrl, renewalPath } from "../host/address.ts";
import { recordView } from "../queries/share-links.ts";
import { findSharedTarget } from "../queries/targets.ts";
import { readSharedPreview } from "../view-shared.ts";
import { toWireSharedPreview } from "../wire.ts";
import script from "./shared-preview.browser.js";
import style from "./shared-preview.css";

/** Responds to a visitor of a public link. */
export async function renderSharedPreview(request: Request, env: Env, slug: string): Promise<Response> {
  const now = Date.now();
  const excess = await checkVisitorLimit(env, "SHARED_PREVIEW_REQUESTS", request, now, "page");
  if (isRefusal(excess))
    return renderMessagePage(tooManyRequests, {
      status: 429,
      headers: { "retry-after": String(excess.retryAfterSeconds ?? 60) },
    });
  const target = await findSharedTarget(env.DB, slug);
  if (!target) return renderMessagePage(linkNotFound, { status: 404 });
  await recordView(env.DB, target.link, now);
  const view = toWireSharedPreview(await readSharedPreview(env, target, { wakes: true, now }));
  const { projectName, sessionTitle } = view;
  const previews = getPreviewOrigins(env);
  const artifactsUrl = getSharedArtifactUrl(env, slug, "");
  return renderPage({
    title: sessionTitle === null ? projectName : `${sessionTitle} · ${projectName}`,
    style,
    script: artifactsScript + script,
    policy: {
      "connect-src": `'self' ${previews}`,
      "frame-src": previews,
      "frame-ancestors": "'none'",
    },
    headers: { "cross-origin-opener-policy": "same-origin", "x-frame-options": "DENY" },
    children: (
      <>
        <a class="skip" href="#stage">
          Skip to the preview
        </a>
        <Bar projectName={projectName} sessionTitle={sessionTitle} />
        <div class="body">
          <main aria-label="Preview">
            <p id="banner" class="banner" hidden />
            <div id="stage" class="stage" tabindex={-1}>
              {Object.entries(pageMessages).map(([state, notice]) => (
                <Panel state={state as PageState} notice={notice} isShown={state === findState(view)} />
              ))}
              <noscript>
                <p class="plain">This page needs JavaScript to show the preview.</p>
              </noscript>
            </div>
            <Viewer />
          </main>
          <aside id="artifacts" aria-labelledby="artifacts-heading" hidden={view.artifacts.length === 0}>
            <h2 id="artifacts-heading">Artifacts</h2>
            <ul />
          </aside>
        </div>
        <p id="status" class="unseen" role="status" />
        <script id="view" type="application/json">
          {raw(scriptJson({ slug, view, renewalPath, artifactsUrl, authTokenLifetimeMs }))}
        </script>
      </>
    ),
  });
}

function Bar({ projectName, sessionTitle }: { projectName: string; sessionTitle: string | null }) {
  return (
    <header class="bar">
      <Mark />
      <div class="names">
        <h1>{sessionTitle ?? projectName}</h1>
        <p>{sessionTitle === null ? "Main preview" : projectName}</p>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div id="frontends" class="frontends" role="group" aria-label="What to preview" hidden />
      <div id="actions" class="actions" hidden>
        <button id="reload" type="button" class="plain-button" title="Reload the preview">
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M16 10a6 6 0 1 1-1.8-4.3M16 3v3.5h-3.5" />
          </svg>
          <span class="unseen">Reload the preview</span>
        </button>
        <a
          id="open"
          href="#stage"
          class="plain-button"
          target="_blank"
          rel="noopener noreferrer"
          title="Open in a tab of its own"
        >
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7" />
          </svg>
          <span class="unseen">Open in a tab of its own</span>
        </a>
      </div>
    </header>
  );
}

/** Shows one artifact over the preview. */
function Viewer() {
  return (
    <section id="viewer" class="viewer" aria-labelledby="viewer-title" hidden>
      <header>
        <div class="names">
          <h2 id="viewer-title" tabindex={-1}>
            Artifact
          </h2>
          <p id="viewer-kind" />
        </div>
        <a
          id="viewer-open"
          href="#viewer"
          class="plain-button"
          target="_blank"
          rel="noopener noreferrer"
          title="Open the artifact in a tab of its own"
        >
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7" />
          </svg>
          <span class="unseen">Open the artifact in a tab of its own</span>
        </a>
        <button id="viewer-close" type="button" class="plain-button" title="Close the artifact">
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M5 5l10 10M15 5L5 15" />
          </svg>
          <span class="unseen">Close the artifact</span>
        </button>
      </header>
      <div id="viewer-frame" class="viewer-frame" />
    </section>
  );
}

function Panel({
  state,
  notice,
  isShown,
}: {
  state: PageState;
  notice: MessageText & { action?: string };
  isShown: boolean;
}) {
  return (
    <section class="panel" data-panel={state} hidden={!isShown}>
      <MessagePanel notice={notice} level="h2">
        {notice.action && <button type="button">{notice.action}</button>}
      </MessagePanel>
    </section>
  );
}

function findState({ status, reason }: { status: string; reason?: PageState | undefined }): PageState | null {
  if (status === "ready") return null;
  return status === "starting" ? "starting" : (reason ?? "not_running");
}

/** JSON that is safe inside a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, "\\u003c");
}
