// One file: its text with line numbers, and an editor whose text is kept until it is saved.
import { type Session, SwitchyardError } from "@switchyard/client";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef } from "react";
import { useOpenPanel } from "../panel/open-panel.ts";
import { Button } from "../ui/button.tsx";
import { PathName } from "../ui/path-name.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { toVisibleName } from "../ui/visible.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { useFileDraft, withoutSaved } from "./draft.ts";
import { hasFileChanged, useFile, useSaveFile, useWakeForFiles } from "./queries.ts";
import { isBinaryText } from "./tree.ts";

interface FileViewProps {
  session: Session;
  path: string;
  isRunning: boolean;
}

export function FileView({ session, path, isRunning }: FileViewProps) {
  const open = useOpenPanel();
  const { data: file, error, refetch } = useFile(session, path);
  const data = file?.content;
  const save = useSaveFile(session, path);
  const wake = useWakeForFiles(session);
  const [draft, keep] = useFileDraft(session.id, path);
  const isBinary = data !== undefined && isBinaryText(data);
  const hasMoved = draft !== null && data !== undefined && data !== draft.base;
  const isWaiting = draft?.isWaiting === true;
  const isDirty = draft !== null && draft.text !== draft.base;
  const isRefusedByTurn = save.error instanceof SwitchyardError && save.error.failure.code === "JOB_ACTIVE";

  const newest = useRef(draft);
  newest.current = draft;
  const write = () => {
    if (draft === null || save.isPending) return;
    const { text } = draft;
    const settle = ({ hash }: { hash: string }) => keep(withoutSaved(newest.current, text, hash));
    // Who keeps theirs has seen that the file has changed: then what it is now is replaced.
    const baseHash = hasMoved ? file?.hash : draft.baseHash;
    // Also where the panel is left before the answer comes.
    save.mutateAsync({ content: text, baseHash }).then(settle, () => {});
  };
  const wait = () => draft !== null && keep({ ...draft, isWaiting: true });
  /** Saves what waited for the turn, unless the turn has changed the same file. */
  const writeAfterTurn = async () => {
    if (draft === null) return;
    const { data: read } = await refetch();
    if (newest.current !== draft) return;
    if (read?.content === draft.base) write();
    else keep({ ...draft, isWaiting: false });
  };
  const afterTurn = useRef(writeAfterTurn);
  afterTurn.current = writeAfterTurn;
  const isDue = draft?.isWaiting === true && !isRunning;
  useEffect(() => {
    if (isDue) afterTurn.current();
  }, [isDue]);

  const name = toVisibleName(path);
  const focus = useFocusKept("textarea", (box) => box.querySelector("textarea") ?? box.querySelector("section"));
  return (
    <div {...focus} className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-2 py-1.5">
        <Button kind="bare" aria-label="Back to all files" title="Back to all files" onClick={() => open("files")}>
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Button>
        <span className="min-w-0 flex-1 font-mono text-code" title={name}>
          <PathName>{path}</PathName>
        </span>
        {draft === null ? (
          <Button
            disabled={data === undefined || isBinary}
            onClick={() => data !== undefined && keep({ text: data, base: data, baseHash: file?.hash })}
          >
            Edit
          </Button>
        ) : (
          <>
            <Button
              kind="bare"
              onClick={() => {
                keep(null);
                save.reset();
              }}
            >
              {isDirty ? "Give up" : "Close"}
            </Button>
            {isRunning ? (
              <Button kind="main" disabled={!isDirty || isWaiting} onClick={wait}>
                {isWaiting ? "Saves after the turn" : "Save after the turn"}
              </Button>
            ) : (
              <Button kind="main" disabled={!isDirty || hasMoved || save.isPending} onClick={write}>
                {save.isPending ? "Saving…" : "Save"}
              </Button>
            )}
          </>
        )}
      </div>
      {(wake.error ?? error) ? (
        <div className="p-3">
          <Refusal error={wake.error ?? error}>
            <Button onClick={() => refetch()}>Try again</Button>
            <Button disabled={wake.isPending} onClick={() => wake.mutate()}>
              {wake.isPending ? "Waking…" : "Wake the sandbox"}
            </Button>
          </Refusal>
        </div>
      ) : null}
      {save.error && !hasFileChanged(save.error) ? (
        <div className="p-3">
          <Refusal error={save.error}>{isRefusedByTurn && <Button onClick={wait}>Save after the turn</Button>}</Refusal>
        </div>
      ) : null}
      {hasMoved && draft && (
        <div role="status" className="flex flex-wrap items-center gap-2 bg-amber-tint px-3 py-2 text-amber-ink text-ui">
          <span className="flex-1">The file has changed since you began. Your text is below.</span>
          <Button disabled={isRunning || save.isPending} onClick={write}>
            Keep mine
          </Button>
          <Button onClick={() => keep({ text: data, base: data, baseHash: file?.hash })}>Take theirs</Button>
        </div>
      )}
      <section
        aria-label={draft === null ? `Text of ${name}` : undefined}
        // The arrow keys scroll it.
        tabIndex={draft === null ? 0 : undefined}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        {draft !== null ? (
          <textarea
            aria-label={`Text of ${name}`}
            spellCheck={false}
            autoCapitalize="off"
            value={draft.text}
            onChange={(event) => keep({ ...draft, text: event.target.value, isWaiting: false })}
            onKeyDown={(event) => {
              // The text is what one came for: Escape does not close the panel over it.
              if (event.key === "Escape") event.preventDefault();
              if (event.key !== "s" || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              if (!isDirty) return;
              if (isRunning) wait();
              else if (!hasMoved) write();
            }}
            className="block h-full w-full resize-none whitespace-pre border-0 bg-panel p-3 font-mono text-code outline-offset-[-2px] max-md:text-[16px]"
          />
        ) : isBinary ? (
          <p className="px-4 py-10 text-center text-quiet">This is a binary file.</p>
        ) : data !== undefined ? (
          <Numbered text={data} />
        ) : (
          <div aria-busy={!error} />
        )}
      </section>
    </div>
  );
}

function Numbered({ text }: { text: string }) {
  const count = text.replace(/\n$/, "").split("\n").length;
  return (
    <div className="flex min-w-max py-2 font-mono text-code">
      <pre
        aria-hidden="true"
        className="sticky left-0 m-0 shrink-0 select-none bg-panel pr-3 pl-4 text-right font-mono text-quiet tabular-nums"
      >
        {Array.from({ length: count }, (_, at) => at + 1).join("\n")}
      </pre>
      <pre className="m-0 pr-4 font-mono">
        <VisibleText>{text}</VisibleText>
      </pre>
    </div>
  );
}
