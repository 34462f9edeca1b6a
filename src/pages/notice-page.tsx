// A page that shows only a notice.
import { respondPage } from "./document.tsx";
import { type Notice, NoticePanel } from "./notice.tsx";

interface NoticePageOptions {
  status: number;
  headers?: Record<string, string>;
  /** True if pages of the service may frame it. */
  isFramed?: boolean;
}

/** Renders a notice as a response. */
export function noticePage(notice: Notice, { status, headers = {}, isFramed = false }: NoticePageOptions): Response {
  return respondPage({
    title: notice.heading,
    style: "",
    status,
    headers,
    policy: { "frame-ancestors": isFramed ? "'self'" : "'none'" },
    children: (
      <main class="alone">
        <NoticePanel notice={notice} />
      </main>
    ),
  });
}
