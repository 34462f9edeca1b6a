// The page of a notice: one that has nothing but the notice to show.
import { respondPage } from "./document.tsx";
import { type Notice, NoticePanel } from "./notice.tsx";

interface NoticePageOptions {
  status: number;
  headers?: Record<string, string>;
  /** Whether a page of the service may show it in a frame. */
  isFramed?: boolean;
}

/** Puts a notice on the wire. */
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
