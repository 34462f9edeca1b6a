// Changes: what the session has changed, file by file, with comments, commit and push.
import type { Session } from "@switchyard/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronsDownUp, ChevronsUpDown, Columns2, RotateCw } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { Review } from "../pull-request/review.tsx";
import type { LiveSession } from "../session/live-session.ts";
import { isTurnRunning } from "../session/turn-state.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { CommitBar } from "./commit-bar.tsx";
import { FileCard } from "./file-card.tsx";
import { useKeptMarks } from "./kept-marks.ts";
import { type ChangedFile, type Comment, refreshChanges, useChangedFiles, useComments, useDiff } from "./queries.ts";
import { SendComments } from "./send-comments.tsx";
import { useSplit } from "./use-split.ts";
import { isViewed, markViewed } from "./viewed.ts";

export function Changes({ live }: { live: LiveSession }) {
  if (live.session === null) return <div aria-busy="true" className="h-full" />;
  return <ChangesOf key={live.session.id} session={live.session} live={live} />;
}

const filters = {
  all: { word: "All", holds: () => true },
  open: { word: "Not committed", holds: (file: ChangedFile) => !file.committed },
  committed: { word: "Committed", holds: (file: ChangedFile) => file.committed },
};
type Filter = keyof typeof filters;

const none: readonly Comment[] = [];
/** Above these sizes, files begin folded. */
const openFilesAtMost = 40;
const openLinesAtMost = 3_000;

function ChangesOf({ session, live }: { session: Session; live: LiveSession }) {
  const isRunning = isTurnRunning(live);
  const { file: chosen, find = "" } = useSearch({ from: "/s/$session" });
  const navigate = useNavigate({ from: "/s/$session" });
  const { data, error, isFetching } = useChangedFiles(session);
  const diff = useDiff(session, null);
  const { data: comments = none, error: commentsError } = useComments(session);
  const [marks, changeMarks] = useKeptMarks(`viewed:${session.id}`);
  const [filter, setFilter] = useState<Filter>("all");
  // The address is a moment later than the field.
  const [words, setWords] = useState(find);
  const [opened, setOpened] = useState<Readonly<Record<string, boolean>>>({});
  const list = useRef<HTMLDivElement>(null);
  const { isSplit, hasRoom, choose } = useSplit(list);
  const onOpen = useCallback(
    (path: string, isOpen: boolean) => setOpened((before) => ({ ...before, [path]: isOpen })),
    [],
  );
  const onViewed = useCallback(
    (path: string, source: string, viewed: boolean) => {
      changeMarks((before) => markViewed(before, path, source, viewed));
      onOpen(path, !viewed);
    },
    [changeMarks, onOpen],
  );
  const files = data?.files ?? [];
  const byFile = useMemo(() => Map.groupBy(comments, ({ filePath }) => filePath), [comments]);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const isSmall = files.length <= openFilesAtMost && additions + deletions <= openLinesAtMost;
  const shown = files.filter(
    (file) => filters[filter].holds(file) && file.path.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const sourceOf = (path: string) => diff.files.get(path)?.source ?? "";
  const viewed = files.filter(({ path }) => isViewed(marks, path, sourceOf(path))).length;
  const isOpen = ({ path }: ChangedFile) =>
    opened[path] ?? (path === chosen || byFile.has(path) || (isSmall && !isViewed(marks, path, sourceOf(path))));
  const areAllOpen = shown.length > 0 && shown.every(isOpen);
  // Comments on files that no longer differ are shown, too.
  const elsewhere = [...byFile].filter(([path]) => data && !files.some((file) => file.path === path));
  const refusal = error ?? diff.error ?? commentsError;

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-2 text-meta text-quiet">
        <fieldset aria-label="Which files" className="flex gap-0.5 rounded-control bg-sunk p-0.5 max-sm:basis-full">
          {(Object.keys(filters) as Filter[]).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={filter === name}
              onClick={() => setFilter(name)}
              className={`min-h-6 rounded-[6px] px-2 text-center max-sm:flex-1 pointer-coarse:min-h-11 ${filter === name ? "bg-panel font-medium text-ink" : "hover:text-ink"}`}
            >
              {filters[name].word} <span className="tabular-nums">{files.filter(filters[name].holds).length}</span>
            </button>
          ))}
        </fieldset>
        <span className="tabular-nums">
          <span className="text-green-ink">+{additions}</span> <span className="text-red-ink">−{deletions}</span>
        </span>
        {viewed > 0 && (
          <span>
            {viewed} of {files.length} viewed
          </span>
        )}
        {/* Where it does not fit, all of it is in the next row. */}
        <span className="flex min-w-0 grow items-center justify-end gap-1">
          {data?.available === false && data.asOf && (
            <span className="mr-2 min-w-0 truncate" title="The sandbox is asleep. Commit and push wake it.">
              <span aria-hidden="true">○</span> asleep, saved <Ago at={data.asOf} />
            </span>
          )}
          <span className="max-sm:hidden">
            <Icon
              label="Old and new side by side"
              why={hasRoom ? null : "The panel is too narrow to show the old and the new side by side."}
              isPressed={isSplit}
              onClick={() => choose(!isSplit)}
            >
              <Columns2 className="size-4" />
            </Icon>
          </span>
          <Icon
            label={areAllOpen ? "Fold all" : "Open all"}
            onClick={() => setOpened(Object.fromEntries(files.map(({ path }) => [path, !areAllOpen])))}
          >
            {areAllOpen ? <ChevronsDownUp className="size-4" /> : <ChevronsUpDown className="size-4" />}
          </Icon>
          <Icon label="Read again" onClick={() => refreshChanges(session.id)}>
            <RotateCw className={`size-4 ${isFetching ? "animate-spin motion-reduce:animate-none" : ""}`} />
          </Icon>
        </span>
        {files.length > 8 && (
          <input
            type="search"
            aria-label="Find a file"
            placeholder="Find a file"
            value={words}
            onChange={({ target: { value } }) => {
              setWords(value);
              navigate({ search: ({ find: _, ...now }) => ({ ...now, ...(value && { find: value }) }), replace: true });
            }}
            className="min-h-8 basis-full rounded-control border border-line-strong/50 bg-panel px-3 text-ui text-ink max-md:text-[16px] pointer-coarse:min-h-11"
          />
        )}
      </div>
      <div ref={list} className="@container relative min-h-0 flex-1 overflow-y-auto bg-ground">
        <div className="flex flex-col gap-2 p-2 [--panel-width:calc(100cqw-18px)]">
          <Review live={live} />
          {refusal && (
            <Refusal error={refusal}>
              <Button onClick={() => refreshChanges(session.id)}>Try again</Button>
            </Refusal>
          )}
          {diff.data?.isCut && (
            <p className="px-2 text-quiet">The diff is long: some files are loaded when you open them.</p>
          )}
          {data && files.length === 0 && (
            <p className="px-4 py-10 text-center text-quiet">
              {data.available === false && !data.asOf
                ? "Nothing is saved of this session yet."
                : "Nothing differs from the target branch."}
            </p>
          )}
          {files.length > 0 && shown.length === 0 && (
            <p className="px-4 py-10 text-center text-quiet">No file matches.</p>
          )}
          {(diff.data || diff.error) &&
            shown.map((file) => (
              <FileCard
                key={file.path}
                session={session}
                file={file}
                parsed={diff.files.get(file.path) ?? null}
                comments={byFile.get(file.path) ?? none}
                isOpen={isOpen(file)}
                isViewed={isViewed(marks, file.path, sourceOf(file.path))}
                isChosen={file.path === chosen}
                isSplit={isSplit}
                onOpen={onOpen}
                onViewed={onViewed}
              />
            ))}
          {elsewhere.map(([path, ofFile]) => (
            <FileCard
              key={path}
              session={session}
              file={{
                path,
                previousPath: null,
                status: "modified",
                additions: 0,
                deletions: 0,
                isBinary: false,
                committed: true,
              }}
              parsed={null}
              comments={ofFile}
              isOpen={opened[path] ?? false}
              isViewed={false}
              isChosen={false}
              isSplit={isSplit}
              onOpen={onOpen}
              onViewed={onViewed}
            />
          ))}
        </div>
      </div>
      <div className="flex shrink-0 flex-col gap-2 border-line border-t p-3">
        <SendComments session={session} live={live} comments={comments} isRunning={isRunning} />
        <CommitBar session={session} isRunning={isRunning} openFiles={files.filter(filters.open.holds).length} />
      </div>
    </div>
  );
}

interface IconProps {
  label: string;
  isPressed?: boolean;
  /** Why it cannot be pressed; null where it can. */
  why?: string | null;
  onClick: () => void;
  children: React.ReactNode;
}

function Icon({ label, isPressed, why = null, onClick, children }: IconProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      // It can have the focus, so that the reason is read.
      aria-disabled={why !== null || undefined}
      title={why ?? label}
      className="inline-flex size-7 items-center justify-center rounded-control hover:bg-sunk hover:text-ink aria-disabled:cursor-default aria-disabled:opacity-40 aria-disabled:hover:bg-transparent aria-pressed:bg-accent-tint aria-pressed:text-ink pointer-coarse:size-11"
      onClick={() => why === null && onClick()}
    >
      {children}
    </button>
  );
}
