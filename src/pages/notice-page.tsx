// A page that shows only a notice.
import { respondPage } from "./document.tsx";
import { type Notice, NoticePanel } from "./notice.tsx";

interface NoticePageOptions {
  status: number;
  headers?: Record<string, string>;
  /** The origin whose pages may frame it. */
  framedBy?: string;
}

/** Renders a notice as a response. */
export function noticePage(notice: Notice, { status, headers = {}, framedBy = "'none'" }: NoticePageOptions): Response {
  return respondPage({
    title: notice.heading,
    style: "",
    status,
    headers,
    policy: { "frame-ancestors": framedBy },
    children: (
      <main class="alone">
        <NoticePanel notice={notice} />
      </main>
    ),
  });
}
