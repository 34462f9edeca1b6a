// A changed file: its name and counts, the viewed mark, its diff and the comments on it.
import type { Session } from "@switchyard/client";
import { ChevronRight, FileText } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { isUnsure } from "../composer/send-rules.ts";
import { useOpenPanel } from "../panel/open-panel.ts";
import { Button } from "../ui/button.tsx";
import { readKeptText, useKeptChoice } from "../ui/kept-text.ts";
import { PathName } from "../ui/path-name.tsx";
import { useIsTouch } from "../ui/phone.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { toVisibleCode, toVisibleName } from "../ui/visible.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { CommentCard, CommentForm } from "./comment-card.tsx";
import { DiffLines } from "./diff-lines.tsx";
import { useLineColors } from "./line-colors.ts";
import type { PatchFile } from "./parse-patch.ts";
import { type ChangedFile, type Comment, useAddComment, useDiff } from "./queries.ts";
import {
  findCommentLine,
  findKeptLines,
  findSameLines,
  formatKeptLines,
  type LineRange,
  type Selection,
  toLineRange,
} from "./selected-lines.ts";

const marks: Record<ChangedFile["status"], [letter: string, word: string, tone: string]> = {
  added: ["A", "added", "text-green-ink"],
  modified: ["M", "modified", "text-quiet"],
  deleted: ["D", "deleted", "text-red-ink"],
  renamed: ["R", "renamed", "text-quiet"],
};

interface FileCardProps {
  session: Session;
  file: ChangedFile;
  /** What the patch of all files has of it; null where it is only named there. */
  parsed: PatchFile | null;
  comments: readonly Comment[];
  isOpen: boolean;
  isViewed: boolean;
  isChosen: boolean;
  isSplit: boolean;
  onOpen: (path: string, isOpen: boolean) => void;
  onViewed: (path: string, source: string, viewed: boolean) => void;
}

export const FileCard = memo(function FileCard(props: FileCardProps) {
  const { session, file, comments, isOpen, isViewed, isChosen, isSplit, onOpen, onViewed } = props;
  const { path, previousPath, status, additions, deletions, isBinary, committed } = file;
  const openPanel = useOpenPanel();
  const card = useRef<HTMLElement>(null);
  const isNamedOnly = props.parsed === null || (props.parsed.lines.length === 0 && additions + deletions > 0);
  const alone = useDiff(session, path, isOpen && isNamedOnly && !isBinary);
  const parsed = isNamedOnly ? (alone.files.get(path) ?? props.parsed) : props.parsed;
  const [letter, word, tone] = marks[status];
  const name = toVisibleName(path);
  const source = parsed?.source ?? "";
  useEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: "start" });
  }, [isChosen]);

  return (
    <section
      ref={card}
      aria-label={name}
      data-file
      className={`scroll-mt-2 overflow-clip rounded-block border bg-panel ${isChosen ? "border-accent" : "border-line"}`}
      style={isOpen ? undefined : { contentVisibility: "auto", containIntrinsicSize: "auto 38px" }}
    >
      <div className="sticky top-0 z-10 flex min-h-9 items-center gap-2 bg-panel pr-2 pointer-coarse:min-h-11">
        <button
          type="button"
          data-row
          aria-expanded={isOpen}
          onClick={() => onOpen(path, !isOpen)}
          className="flex min-w-0 flex-1 items-center gap-2 self-stretch rounded-block pl-2 text-left hover:bg-sunk"
        >
          <ChevronRight className={`size-4 shrink-0 text-quiet ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
          <span className={`w-3 shrink-0 font-mono text-meta ${tone}`} title={word}>
            <span aria-hidden="true">{letter}</span>
            <span className="sr-only">{word}</span>
          </span>
          <span className={`min-w-0 font-mono text-code ${isViewed ? "text-quiet" : ""}`} title={name}>
            {previousPath !== null && (
              <span className="block text-quiet line-through">
                <PathName>{previousPath}</PathName>
              </span>
            )}
            <PathName>{path}</PathName>
          </span>
          {!isOpen && readKeptText(toDraftKey(session.id, path)) !== "" && (
            <span className="shrink-0 rounded-control bg-accent-tint px-1.5 text-accent text-meta">
              1 unfinished comment
            </span>
          )}
          {!committed && (
            <span className="shrink-0 rounded-control bg-amber-tint px-1.5 text-meta text-amber-ink max-sm:hidden">
              not committed
            </span>
          )}
          <span className="flex-1" />
          <span className="shrink-0 text-meta tabular-nums">
            {isBinary ? (
              <span className="text-quiet">binary</span>
            ) : (
              <>
                <span className="text-green-ink">+{additions}</span> <span className="text-red-ink">−{deletions}</span>
              </>
            )}
          </span>
        </button>
        {status !== "deleted" && (
          <button
            type="button"
            aria-label={`Open ${name} in Files`}
            title="Open the file"
            onClick={() => openPanel("files", path)}
            className="inline-flex size-7 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-sunk hover:text-ink max-sm:hidden pointer-coarse:size-11"
          >
            <FileText className="size-4" aria-hidden="true" />
          </button>
        )}
        <label className="flex min-h-8 shrink-0 cursor-pointer items-center gap-1.5 px-1 text-meta text-quiet pointer-coarse:min-h-11">
          <input
            type="checkbox"
            data-viewed
            checked={isViewed}
            disabled={source === ""}
            onChange={(event) => onViewed(path, source, event.target.checked)}
            className="size-4 accent-accent"
          />
          <span className="max-sm:sr-only">viewed</span>
        </label>
      </div>
      {isOpen && (
        <div className="border-line border-t">
          {alone.error ? (
            <div className="p-3">
              <Refusal error={alone.error} />
            </div>
          ) : isBinary ? (
            <p className="px-4 py-3 text-quiet">This is a binary file, so there is no difference to show.</p>
          ) : parsed && parsed.lines.length > 0 ? (
            <FileLines session={session} path={path} lines={parsed.lines} isSplit={isSplit} comments={comments} />
          ) : (
            <p className="px-4 py-3 text-quiet" aria-busy={alone.isFetching}>
              {alone.isFetching
                ? "Reading…"
                : status === "renamed"
                  ? "Only the name has changed."
                  : "No line has changed."}
            </p>
          )}
        </div>
      )}
    </section>
  );
});

/** Under which a comment on a file is kept while it is written. */
const toDraftKey = (sessionId: string, path: string): string => `new-comment:${sessionId}:${path}`;

interface FileLinesProps {
  session: Session;
  path: string;
  lines: PatchFile["lines"];
  isSplit: boolean;
  comments: readonly Comment[];
}

function FileLines({ session, path, lines, isSplit, comments }: FileLinesProps) {
  const isTouch = useIsTouch();
  const draftKey = toDraftKey(session.id, path);
  const name = toVisibleName(path);
  const hasSigns = useMemo(() => lines.some(({ text }) => toVisibleCode(text) !== text), [lines]);
  const [keptLines, keepLines] = useKeptChoice(`${draftKey}:lines`);
  const [started, setStarted] = useState(() =>
    readKeptText(draftKey) === "" ? null : findKeptLines(lines, keptLines),
  );
  const [selection, setSelection] = useState<Selection | null>(started);
  const colors = useLineColors(path, lines);
  const [isWriting, setIsWriting] = useState(started !== null);
  const add = useAddComment(session);
  const { draft, box } = useDraft({ projectId: session.projectId, sessionId: session.id });
  const focus = useFocusKept(
    "[data-comment]",
    (box) =>
      // A form that has moved to another line is a new element.
      box.querySelector<HTMLElement>("textarea:not([data-comment] *)") ?? box.querySelector("[data-lines]"),
  );
  const range = selection && toLineRange(lines, selection.anchor, selection.focus);
  const end = selection ? Math.max(selection.anchor, selection.focus) : -1;
  const placed = useMemo(
    () => comments.map((comment) => [findCommentLine(lines, comment), comment] as const),
    [comments, lines],
  );
  const unplaced = placed.filter(([at]) => at === -1);

  const write = (chosen: LineRange | null) => {
    if (chosen) keepLines(formatKeptLines(chosen));
    setStarted(null);
    setIsWriting(chosen !== null);
  };

  const [readLines, setReadLines] = useState(lines);
  if (readLines !== lines) {
    // The diff was read again. What is chosen may now be elsewhere, or gone.
    setReadLines(lines);
    const before = selection && toLineRange(readLines, selection.anchor, selection.focus);
    const now = before && findSameLines(lines, before);
    setSelection(now);
    if (isWriting) {
      write(now && toLineRange(lines, now.anchor, now.focus));
      setStarted(now);
    }
  }

  const below = new Map<number, ReactNode>();
  for (const [at, comment] of placed)
    if (at !== -1)
      below.set(
        at,
        <>
          {below.get(at)}
          <Aside>
            <CommentCard session={session} comment={comment} />
          </Aside>
        </>,
      );
  for (const { key, fields, lines: of } of draft.outgoing) {
    const at = of?.filePath === path ? findCommentLine(lines, of) : -1;
    if (at !== -1)
      below.set(
        at,
        <>
          {below.get(at)}
          <Aside>
            <Unsent key={key} text={fields.content} />
          </Aside>
        </>,
      );
  }
  if (isWriting && range)
    below.set(
      end,
      <>
        {below.get(end)}
        <Aside>
          <CommentForm
            label={`Comment on ${name}, line ${range.endLineNumber}`}
            draftKey={draftKey}
            isStarted={started !== null}
            word="Comment"
            isSaving={add.isPending}
            error={add.error}
            onCancel={() => {
              keepLines("");
              setIsWriting(false);
            }}
            onSave={(body, forget) => {
              const key = crypto.randomUUID();
              const at = { filePath: path, ...range };
              const close = () => {
                forget();
                keepLines("");
                setIsWriting(false);
                setSelection(null);
              };
              // The draft of the session keeps it until it has arrived, also after a reload.
              const leave = () => {
                box?.sendApart({ content: body }, { key, lines: at });
                close();
                add.reset();
              };
              if (box && !navigator.onLine) leave();
              else
                add
                  .mutateAsync({ comment: { ...at, body }, key })
                  .then(close, (error) => box && isUnsure(error) && leave());
            }}
          />
        </Aside>
      </>,
    );

  if (isTouch && !isWriting && range)
    below.set(
      end,
      <>
        {below.get(end)}
        <Aside>
          <Button onClick={() => write(range)}>Comment on line {range.endLineNumber}</Button>
        </Aside>
      </>,
    );

  return (
    <div {...focus}>
      {hasSigns && (
        <p className="bg-amber-tint px-4 py-2 text-amber-ink">
          These lines contain characters that are invisible or change the direction of the text. Each is shown as a
          sign.
        </p>
      )}
      {!isWriting && readKeptText(draftKey) !== "" && (
        <p className="bg-amber-tint px-4 py-2 text-amber-ink">
          1 unfinished comment, on lines that are not shown: choose a line to continue it.
        </p>
      )}
      {unplaced.length > 0 && (
        <div className="flex flex-col gap-2 bg-sunk p-2">
          {unplaced.map(([, comment]) => (
            <CommentCard key={comment.id} session={session} comment={comment} />
          ))}
        </div>
      )}
      <DiffLines
        label={`Lines of ${name}. Arrow keys choose a line, Enter comments on it.`}
        lines={lines}
        isSplit={isSplit}
        colors={colors}
        selection={selection}
        below={below}
        onSelect={(next, isDone) => {
          // A comment that is being written stays where it is.
          if (isWriting && !isDone) return;
          setSelection(next);
          write(isDone ? toLineRange(lines, next.anchor, next.focus) : null);
        }}
      />
    </div>
  );
}

/** A comment that the service does not have yet. */
function Unsent({ text }: { text: string }) {
  return (
    <div className="rounded-block border border-line border-dashed bg-panel px-3 py-2">
      <p className="whitespace-pre-wrap text-ui [overflow-wrap:anywhere]" dir="auto">
        <VisibleText>{text}</VisibleText>
      </p>
      <p role="status" className="mt-1 text-meta text-quiet">
        It is sent when the connection is back.
      </p>
    </div>
  );
}

/** What is below a line keeps the width of the panel while the code scrolls sideways. */
function Aside({ children }: { children: ReactNode }) {
  return (
    <div className="sticky left-0 w-[min(36rem,var(--panel-width,100%))] bg-sunk px-2 py-2 font-sans">{children}</div>
  );
}
