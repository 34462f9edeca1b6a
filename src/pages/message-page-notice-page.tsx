// A page that shows only a notice, with what the visitor can do about it.
import type { Child } from "hono/jsx";
import { respondPage } from "./document.tsx";
import { type Notice, NoticePanel } from "./message-page.tsx";

interface NoticePageOptions {
  status: number;
  headers?: Record<string, string>;
  /** The origin whose pages may frame it. */
  framedBy?: string;
  /** A link or button below the text. */
  action?: Child;
}

/** Renders a notice as a response. */
export function noticePage(
  notice: Notice,
  { status, headers = {}, framedBy = "'none'", action }: NoticePageOptions,
): Response {
  return respondPage({
    title: notice.heading,
    style: "",
    status,
    headers,
    policy: { "frame-ancestors": framedBy },
    children: (
      <main class="alone">
        <NoticePanel notice={notice}>{action}</NoticePanel>
      </main>
    ),
  });
}
