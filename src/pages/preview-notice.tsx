// The pages of a preview host for requests that no service answers.
import type { PreviewUnavailable } from "../rules/preview/preview.ts";
import { respondPage } from "./document.tsx";
import { NoticePanel } from "./notice.tsx";
import { previewNotices } from "./preview-notices.ts";

/** Answers why the preview is unavailable: a page to browsers, JSON to other clients. */
export function previewNotice(reason: PreviewUnavailable, request: Request): Response {
  const notice = previewNotices[reason];
  const { status, code, heading, text, reloadSeconds } = notice;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !request.headers.get("accept")?.includes("text/html")) {
    const headers = { "cache-control": "no-store", ...(reloadSeconds ? { "retry-after": String(reloadSeconds) } : {}) };
    return Response.json({ error: `${heading}. ${text}`, code }, { status, headers });
  }
  return respondPage({
    title: heading,
    style: "",
    status,
    headers: reloadSeconds ? { refresh: String(reloadSeconds), "retry-after": String(reloadSeconds) } : {},
    children: (
      <main class="alone">
        <NoticePanel notice={notice} />
      </main>
    ),
  });
}
