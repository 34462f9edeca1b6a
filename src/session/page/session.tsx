// The page of a session: its conversation, rendered by the service and updated live by a script.
// Without scripts it shows the current state.
import { raw } from "hono/html";
import type { z } from "zod";
import { getSessionObject } from "../../../durable-objects/address.ts";
import { renderMarkdown } from "../../artifact/page/markdown.ts";
import documentStyle from "../../artifact/page/shared-artifact.css";
import type { Block } from "../../chat/rules/block.ts";
import type { messageSchema, ShownConversation } from "../../chat/wire/message.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { renderPage } from "../../pages/document.tsx";
import { createLayoutCache, loadLayouts } from "../../pages/layouts.ts";
import { MessagePanel, type MessageText } from "../../pages/message-page.tsx";
import { isRefusal } from "../../rules/refusal.ts";
import type { SessionStatus } from "../rules/status.ts";
import { type sessionSchema, toWireSession } from "../wire.ts";
import script from "./session.browser.js";
import style from "./session.css";

type Message = z.infer<typeof messageSchema>;
type Session = z.infer<typeof sessionSchema>;

export interface SessionPageView {
  session: Session;
  conversation: ShownConversation;
}

const outputShown = 4_000;

/** Renders the page of a session. */
async function sessionPage({ session, conversation }: SessionPageView): Promise<Response> {
  const view = JSON.stringify({ eventsUrl: `${session.sessionPath}/events` }).replaceAll("<", "\\u003c");
  const { latestChatJob } = session;
  const growingJobId = latestChatJob && unfinished.includes(latestChatJob.status) ? latestChatJob.id : null;
  const ended = conversation.messages.filter(({ message }) => message.jobId !== growingJobId);
  await loadLayouts(
    ended.flatMap(({ message }) => listTexts(message)),
    laidOutOnce,
  );
  return renderPage({
    title: session.title,
    style: documentStyle + style,
    script,
    policy: { "connect-src": "'self'", "frame-ancestors": "'none'" },
    children: (
      <main class="session">
        <header>
          <h1>{session.title}</h1>
          <Facts session={session} />
          <div class="standing">
            <p id="state">{formatState(session)}</p>
            <p id="live" role="status" />
          </div>
        </header>
        {conversation.hasEarlier && (
          <p class="earlier">
            Older messages are not shown here. The API has them all, at {`${session.sessionPath}/messages`}.
          </p>
        )}
        <div id="conversation">
          {conversation.messages.map(({ message, firstPlace }) => (
            <Article message={message} firstPlace={firstPlace} isGrowing={message.jobId === growingJobId} />
          ))}
        </div>
        <script type="application/json" id="view">
          {raw(view)}
        </script>
      </main>
    ),
  });
}

/** The texts of a message that are laid out. */
const listTexts = ({ content, blocks }: Message): string[] => [
  ...(content === null ? [] : [content]),
  ...blocks.flatMap((block) => (block.type === "text" ? [block.content] : [])),
];

/** Asks a visitor to sign in. Says nothing about the session, which may not exist. */
const signInForSession = (path: string): Response =>
  renderMessage(
    { tone: "resting", heading: "Sign in to read the session", text: "Only members of its workspace can open it." },
    200,
    { href: `/api/auth/github/connect?returnTo=${encodeURIComponent(path)}`, label: "Sign in" },
  );

/**
 * Says that no session is open to the visitor here: it does not exist, or belongs to another
 * workspace.
 */
const noSessionHere = (): Response =>
  renderMessage(
    {
      tone: "ended",
      heading: "You cannot open this session",
      text: "It may have been deleted, or you are not a member of its workspace.",
    },
    404,
    { href: "/", label: "To the start page" },
  );

/** Says why the session cannot be shown now. */
const sessionNotNow = (text: string, path: string): Response =>
  renderMessage({ tone: "resting", heading: "The session cannot be shown now", text }, 503, {
    href: path,
    label: "Try again",
  });

function renderMessage(of: MessageText, status: number, { href, label }: { href: string; label: string }): Response {
  return renderPage({
    title: of.heading,
    style: "",
    status,
    policy: { "frame-ancestors": "'none'" },
    children: (
      <main class="alone">
        <MessagePanel notice={of}>
          <a class="button" href={href}>
            {label}
          </a>
        </MessagePanel>
      </main>
    ),
  });
}

function Facts({ session }: { session: Session }) {
  const { status, branch, targetBranch, prUrl, prNumber } = session;
  return (
    <ul id="facts">
      <li>{sessionStatusWords[status]}</li>
      <li>{branch === null ? `for ${targetBranch}` : `${branch} for ${targetBranch}`}</li>
      {prUrl && (
        <li>
          <a href={prUrl} rel="noopener noreferrer" target="_blank">
            Pull request {prNumber}
          </a>
        </li>
      )}
    </ul>
  );
}

function formatState({ latestChatJob, queue }: Session): string {
  const turn = latestChatJob === null ? "No turn yet." : turnWords[latestChatJob.status];
  return queue.count === 0 ? turn : `${turn} ${queue.count} more Up next.`;
}

const turnWords: Record<NonNullable<Session["latestChatJob"]>["status"], string> = {
  pending: "The turn is about to start.",
  running: "The agent is working.",
  completed: "The agent is done.",
  failed: "The last turn failed.",
  cancelled: "The last turn was stopped.",
  awaiting_response: "The agent is waiting for an answer.",
};

/** The statuses of a turn whose texts may still change. */
const unfinished: string[] = ["pending", "running"];

interface ArticleView {
  message: Message;
  /** The index of its first block among the blocks of its turn, as in events. */
  firstPlace: number;
  /** True while its turn runs. */
  isGrowing: boolean;
}

function Article({ message, firstPlace, isGrowing }: ArticleView) {
  const { id, role, jobId, author, content, blocks, attachments, createdAt } = message;
  return (
    <article class="message" id={`message-${id}`} data-role={role}>
      <h2>
        {author === null ? "Agent" : authorName(author)}
        <time datetime={createdAt}>{createdAt.slice(0, 16).replace("T", " ")} UTC</time>
      </h2>
      {content !== null && <div class="part document">{raw(laidOutOnce(content))}</div>}
      {attachments.length > 0 && (
        <ul class="part" aria-label="Attachments">
          {attachments.map(({ name }) => (
            <li>{name}</li>
          ))}
        </ul>
      )}
      {blocks.map((block, index) => (
        <Part block={block} place={`${jobId}:${firstPlace + index}`} layOut={isGrowing ? laidOut : laidOutOnce} />
      ))}
    </article>
  );
}

function authorName(author: NonNullable<Message["author"]>): string {
  return "name" in author ? author.name : senderWords[author.kind];
}

const senderWords = {
  cron: "A cron",
  session: "The agent of another session",
  relay: "A chat tool",
  service: "The service",
};

function Part({ block, place, layOut }: { block: Block; place: string; layOut(text: string): string }) {
  switch (block.type) {
    case "text":
      return (
        <div class="part document" data-type="text" data-place={place}>
          {raw(layOut(block.content))}
        </div>
      );
    case "tool": {
      const output = block.output ?? "";
      return (
        <details class="part" data-place={place}>
          <summary>
            {block.title || block.name} <span>{block.status}</span>
          </summary>
          <pre>{output.length > outputShown ? `${output.slice(0, outputShown)}\n…` : output || "No output."}</pre>
        </details>
      );
    }
    case "plan":
      return (
        <ol class="part" aria-label="Plan">
          {block.items.map(({ title, status }) => (
            <li>
              {title} – {status.replace("_", " ")}
            </li>
          ))}
        </ol>
      );
    case "clarification":
      return (
        <div class="part question">
          {block.clarificationData.questions.map(({ question, options }) => (
            <>
              <p>{question}</p>
              <ul>
                {options.map(({ title, description }) => (
                  <li>
                    {title}: {description}
                  </li>
                ))}
              </ul>
            </>
          ))}
        </div>
      );
    case "filed_sessions":
      return (
        <ul class="part" aria-label="Sessions that the agent filed">
          {block.sessions.map(({ sessionId, projectId, title }) => (
            <li>
              <a href={`/api/projects/${projectId}/chat-sessions/${sessionId}`}>{title}</a>
            </li>
          ))}
        </ul>
      );
    case "artifact":
      return (
        <p class="part">
          Artifact: {block.title}, version {block.version}
        </p>
      );
  }
}

const checkbox = /<input type="checkbox" disabled=""( checked="")? ?\/?>/g;

/**
 * Renders Markdown below the heading of its message. A checkbox becomes a symbol, because nobody
 * can set it.
 */
function laidOut(text: string): string {
  return renderMarkdown(text)
    .replace(/<(\/?)h[1-6]>/g, "<$1h3>")
    .replace(checkbox, (_, checked) => (checked ? "☑" : "☐"));
}

/** In characters of texts and their layouts: more than the longest page contains. */
const layoutsCharactersMax = 12 * 2 ** 20;

/** For texts that no longer change. */
const laidOutOnce = createLayoutCache(laidOut, layoutsCharactersMax);

/** Responds to a browser at `/api/projects/{projectId}/chat-sessions/{sessionId}`. */
export async function renderSessionPage(
  request: Request,
  env: Env,
  params: { projectId: string; sessionId: string },
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const known = await authenticate(env, request, { action: "session.read", noun: "session", params }, Date.now());
  if (isRefusal(known)) {
    switch (known.code) {
      case "UNAUTHORIZED":
        return signInForSession(pathname);
      case "NOT_FOUND":
      case "FORBIDDEN":
        return noSessionHere();
      default:
        return sessionNotNow(known.message, pathname);
    }
  }
  const session = getSessionObject(env, known.found.session.id);
  const [state, conversation] = await Promise.all([session.read(), session.newestMessages()]);
  if (isRefusal(state)) return state.code === "NOT_FOUND" ? noSessionHere() : sessionNotNow(state.message, pathname);
  return await sessionPage({
    session: toWireSession(state, env.PUBLIC_URL),
    conversation: JSON.parse(conversation) as ShownConversation,
  });
}

/** The words that pages use for the status of a session. */
export const sessionStatusWords: Record<SessionStatus, string> = {
  backlog: "Backlog",
  active: "Active",
  "under-review": "Under review",
  completed: "Completed",
  archived: "Archived",
};
