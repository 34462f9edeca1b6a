// The pages of a preview host for requests without a response of a service.
import { renderPage } from "../../pages/document.tsx";
import { MessagePanel, type MessageText } from "../../pages/message-page.tsx";
import type { PreviewUnavailable } from "../rules/preview.ts";
import type { NamedService } from "../rules/service-state.ts";

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

interface PreviewMessageOptions {
  /** The service that does not respond. */
  service?: NamedService | null;
  /** Leads a member back to the preview. */
  reopenUrl?: string;
}

/**
 * Responds with the reason why the preview is unavailable: a page for browsers, JSON for other
 * clients.
 */
export function renderUnavailable(
  reason: PreviewUnavailable,
  request: Request,
  { service = null, reopenUrl }: PreviewMessageOptions = {},
): Response {
  const notice = service === null ? previewMessages[reason] : createSilentMessage(service);
  const { status, code, heading, text, reloadSeconds } = notice;
  const log = service?.crash?.logEnd ?? "";
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !request.headers.get("accept")?.includes("text/html")) {
    const headers = { "cache-control": "no-store", ...(reloadSeconds ? { "retry-after": String(reloadSeconds) } : {}) };
    const error = `${heading}. ${text}${log && `\n${log}`}`;
    return Response.json({ error, code }, { status, headers });
  }
  return renderPage({
    title: heading,
    style: log && logStyle,
    status,
    headers: reloadSeconds ? { refresh: String(reloadSeconds), "retry-after": String(reloadSeconds) } : {},
    children: (
      <main class="alone">
        <MessagePanel notice={notice}>
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
        </MessagePanel>
      </main>
    ),
  });
}

/** The texts of a preview host that has no response of a service. */
export interface PreviewMessage extends MessageText {
  status: number;
  code: string;
  /** The page reloads itself after this time. */
  reloadSeconds?: number;
}

const previewMessages: Record<PreviewUnavailable, PreviewMessage> = {
  unknown: {
    status: 404,
    code: "PREVIEW_UNKNOWN",
    tone: "ended",
    heading: "There is no preview here",
    text: "There is no preview at this address. Check it, or open the preview again from Switchyard.",
  },
  refused: {
    status: 401,
    code: "PREVIEW_REFUSED",
    tone: "ended",
    heading: "This preview needs a fresh link",
    text: "Open it again here as a member of the workspace, or from the link you were given. In a frame, allow cookies of other sites, or open the preview in a tab of its own.",
  },
  starting: {
    status: 503,
    code: "PREVIEW_STARTING",
    tone: "coming",
    heading: "Waking the preview",
    text: "The project starts in a sandbox of its own. This page continues by itself.",
    reloadSeconds: 2,
  },
  paused: {
    status: 503,
    code: "PREVIEW_PAUSED",
    tone: "resting",
    heading: "The preview is resting",
    text: "It was paused because nobody used it for a while, or to make room for others. Open it again from Switchyard, or from the link you were given, and it comes back as it was.",
  },
  unable: {
    status: 503,
    code: "PREVIEW_UNABLE",
    tone: "resting",
    heading: "The preview cannot start now",
    text: "There may be no room for one more running preview. Close another one, or open this one again later.",
  },
  ended: {
    status: 410,
    code: "PREVIEW_ENDED",
    tone: "ended",
    heading: "This session has ended",
    text: "Its work is done, so it no longer has a preview.",
  },
  silent: {
    status: 502,
    code: "PREVIEW_SILENT",
    tone: "coming",
    heading: "Nothing answers here yet",
    text: "The sandbox is running, but this service does not answer. It may be starting, or it may have stopped. This page tries again by itself.",
    reloadSeconds: 4,
  },
};

/** The message about a service that does not respond, by its name. */
function createSilentMessage({ name, crash }: NamedService): PreviewMessage {
  const text = crash
    ? `The service ${name} ${crash.how}, and is being started again. Fix it, or change its command in the project's settings and reset the preview. This page tries again by itself.`
    : `The sandbox is running, but its service ${name} does not answer. It may be starting, or it may have stopped. This page tries again by itself.`;
  return { ...previewMessages.silent, text };
}
