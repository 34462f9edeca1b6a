// What a person wrote: who and when, the text, its files, and what they pointed at.
import type { Schemas, ShownMessage } from "@switchyard/client";
import { AppWindow, Check, CornerDownRight, FileText, MessageSquareText } from "lucide-react";
import type { ReactNode } from "react";
import { Ago } from "../ui/time.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name, VisibleText } from "../ui/visible-text.tsx";
import { type MessagePart, splitFences } from "./fences.ts";
import { formatCount } from "./foot.ts";
import { splitLines } from "./tool-text.ts";
import { useKept } from "./use-kept.ts";

/** A longer message is cut, so that what the agent did is near. */
const shownLines = 14;
const shownCharacters = 1_600;

export function Message({ message }: { message: ShownMessage }) {
  const { content, author, attachments, context, createdAt, delivery } = message;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-meta text-quiet">
        <Name className="max-w-full truncate font-medium text-ink text-ui">{nameAuthor(author)}</Name>
        {createdAt && <Ago at={createdAt} />}
        {delivery === "steer" && (
          <span className="inline-flex items-center gap-1 text-accent">
            <CornerDownRight className="size-3 self-center" aria-hidden="true" /> steered into this turn
          </span>
        )}
      </p>
      {content !== null && content !== "" && <MessageText text={content} keptAs={`whole:${message.id}`} />}
      {attachments.length > 0 && <Files files={attachments} />}
      {context && <Context context={context} />}
    </div>
  );
}

function nameAuthor(author: Schemas["Author"] | null): string {
  if (author === null) return "Switchyard";
  if (!("kind" in author) || author.kind === "trigger") return author.name;
  const names: Record<string, string> = { cron: "Cron", session: "Another session", relay: "Relay" };
  return names[author.kind] ?? "Switchyard";
}

/** What a person wrote; a long text is cut until it is opened. */
export function MessageText({ text, keptAs = null }: { text: string; keptAs?: string | null }) {
  const [isWhole, setIsWhole] = useKept(keptAs, false);
  const lines = splitLines(text);
  const isLong = lines.length > shownLines + 3 || text.length > shownCharacters + 400;
  const shown = isLong && !isWhole ? lines.slice(0, shownLines).join("\n").slice(0, shownCharacters) : text;
  return (
    <div className="flex flex-col items-start gap-2">
      {splitFences(shown !== text ? `${shown}…` : text).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is named by its place.
        <Part key={at} part={part} />
      ))}
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="mt-1 text-meta text-quiet underline decoration-dotted underline-offset-2 hover:text-ink pointer-coarse:min-h-11"
        >
          {isWhole ? "Show less" : "Show the whole message"}
        </button>
      )}
    </div>
  );
}

function Part({ part: { isCode, text } }: { part: MessagePart }) {
  if (!isCode)
    return (
      <p dir="auto" className="whitespace-pre-wrap text-prose [overflow-wrap:anywhere] [unicode-bidi:plaintext]">
        <VisibleText>{text}</VisibleText>
      </p>
    );
  return (
    <pre className="w-full whitespace-pre-wrap rounded-block bg-sunk p-3 font-mono text-code [overflow-wrap:anywhere]">
      <VisibleText>{text}</VisibleText>
    </pre>
  );
}

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

function Files({ files }: { files: readonly Schemas["Attachment"][] }) {
  return (
    <ul className="flex flex-wrap gap-2">
      {files.map(({ id, name, mediaType, byteSize, path }) => (
        <li key={id} className="min-w-0">
          <a
            href={path}
            target="_blank"
            rel="noopener"
            title={toVisibleName(name)}
            className="flex min-h-8 min-w-0 items-center gap-2 overflow-hidden rounded-control border border-line bg-panel hover:border-line-strong pointer-coarse:min-h-11"
          >
            {pictures.has(mediaType) ? (
              <img src={path} alt={toVisibleName(name)} loading="lazy" className="max-h-40 max-w-60 object-contain" />
            ) : (
              <span className="flex min-w-0 items-center gap-1.5 px-2.5 text-ui">
                <FileText className="size-4 shrink-0 text-quiet" aria-hidden="true" />
                <Name className="truncate">{name}</Name>
                <span className="shrink-0 text-meta text-quiet">{formatSize(byteSize)}</span>
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

const formatSize = (bytes: number) =>
  bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${Math.round(bytes / 1_024)} KB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`;

function Context({
  context: { previewContext, diffCommentIds = [], answers = [] },
}: {
  context: Schemas["MessageContext"];
}) {
  if (!previewContext && diffCommentIds.length === 0 && answers.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {previewContext && (
        <Chip icon={<AppWindow />} title={`The page of ${previewContext.frontendName}`}>
          {previewContext.path}
        </Chip>
      )}
      {diffCommentIds.length > 0 && (
        <Chip icon={<MessageSquareText />}>{formatCount(diffCommentIds.length, "comment")}</Chip>
      )}
      {answers.map(({ question, option }) => (
        <Chip key={question} icon={<Check />} title={question}>
          {option}
        </Chip>
      ))}
    </ul>
  );
}

function Chip({ icon, title, children }: { icon: ReactNode; title?: string; children: string }) {
  return (
    <li
      title={title && toVisibleName(title)}
      className="inline-flex min-w-0 max-w-full items-center gap-1.5 rounded-full bg-accent-tint px-2.5 py-1 text-meta"
    >
      <span aria-hidden="true" className="text-accent [&>svg]:size-3.5">
        {icon}
      </span>
      <Name className="truncate">{children}</Name>
    </li>
  );
}
