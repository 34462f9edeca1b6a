// A notice: a message in the middle of an otherwise empty page, below a drawing of a railway track.
import type { Child } from "hono/jsx";
import { renderPage } from "./document.tsx";

/** Something is starting, is paused until requested, or has ended. */
export type Tone = "coming" | "resting" | "ended";

export interface MessageText {
  tone: Tone;
  heading: string;
  text: string;
}

/** Shows a notice with its children below the text. */
export function MessagePanel({ notice, level: Heading = "h1", children }: MessagePanelProps) {
  return (
    <div class="notice" data-tone={notice.tone}>
      <Track />
      <Heading tabindex={-1}>{notice.heading}</Heading>
      <p>{notice.text}</p>
      {children}
    </div>
  );
}

interface MessagePanelProps {
  notice: MessageText;
  level?: "h1" | "h2";
  children?: Child;
}

/** A main line, a siding, and a signal at the switch between them. */
function Track() {
  return (
    <svg class="track" viewBox="0 0 240 84" aria-hidden="true" focusable="false">
      <path
        class="sleepers"
        d="M18 66v12M42 66v12M66 66v12M90 66v12M114 66v12M138 66v12M162 66v12M186 66v12M210 66v12"
      />
      <path class="rail" d="M4 72H228" />
      <path class="rail siding" d="M76 72C128 72 122 34 176 34h52" />
      <path class="stop" d="M228 62v20" />
      <path class="way" d="M4 72H76C128 72 122 34 176 34h60" />
      <path class="post" d="M60 72V26" />
      <circle class="lamp" cx="60" cy="20" r="8" />
    </svg>
  );
}

/** The logo beside a page's title. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M3 22h26M9 22c7 0 7-12 14-12h6" />
    </svg>
  );
}

interface MessagePageOptions {
  status: number;
  headers?: Record<string, string>;
  /** The origin whose pages may frame it. */
  framedBy?: string;
  /** A link or button below the text. */
  action?: Child;
}

/** Renders a notice and what the visitor can do about it, as a page of its own. */
export function renderMessagePage(
  notice: MessageText,
  { status, headers = {}, framedBy = "'none'", action }: MessagePageOptions,
): Response {
  return renderPage({
    title: notice.heading,
    style: "",
    status,
    headers,
    policy: { "frame-ancestors": framedBy },
    children: (
      <main class="alone">
        <MessagePanel notice={notice}>{action}</MessagePanel>
      </main>
    ),
  });
}

/** Renders a notice that loads the page again until the page is there. */
export const renderWaitingPage = (heading: string, text: string): Response =>
  renderMessagePage({ tone: "coming", heading, text }, { status: 503, headers: { "retry-after": "2", refresh: "2" } });
