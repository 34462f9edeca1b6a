// The pages of a preview host for requests that no service answers.

import { respondPage } from "../../pages/document.tsx";
import { NoticePanel } from "../../pages/notice.tsx";
import type { PreviewUnavailable } from "../rules/preview.ts";
import type { NamedService } from "../rules/service-state.ts";
import { previewNotices, silentNotice } from "./unavailable-preview-notices.ts";

const logStyle = `.notice pre {
  margin: 22px auto 0;
  max-width: calc(100vw - 48px);
  max-height: 40vh;
  overflow: auto;
  padding: 12px 14px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--panel);
  font: 0.8125rem/1.5 ui-monospace, monospace;
  text-align: left;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}`;

interface PreviewNoticeOptions {
  /** The service that does not answer. */
  service?: NamedService | null;
  /** Leads a member back to the preview. */
  reopenUrl?: string;
}

/** Answers why the preview is unavailable: a page to browsers, JSON to other clients. */
export function previewNotice(
  reason: PreviewUnavailable,
  request: Request,
  { service = null, reopenUrl }: PreviewNoticeOptions = {},
): Response {
  const notice = service === null ? previewNotices[reason] : silentNotice(service);
  const { status, code, heading, text, reloadSeconds } = notice;
  const log = service?.crash?.logEnd ?? "";
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !request.headers.get("accept")?.includes("text/html")) {
    const headers = { "cache-control": "no-store", ...(reloadSeconds ? { "retry-after": String(reloadSeconds) } : {}) };
    const error = `${heading}. ${text}${log && `\n${log}`}`;
    return Response.json({ error, code }, { status, headers });
  }
  return respondPage({
    title: heading,
    style: log && logStyle,
    status,
    headers: reloadSeconds ? { refresh: String(reloadSeconds), "retry-after": String(reloadSeconds) } : {},
    children: (
      <main class="alone">
        <NoticePanel notice={notice}>
          {reopenUrl && (
            <a class="button" href={reopenUrl} target="_top">
              Open it again
            </a>
          )}
          {log && (
            <pre tabindex={0} role="log" aria-label="The end of its log">
              {log}
            </pre>
          )}
        </NoticePanel>
      </main>
    ),
  });
}
