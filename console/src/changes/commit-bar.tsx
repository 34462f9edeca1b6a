// Commit and push: a message, a draft of it by the model, and what is still to do.
import type { Session } from "@switchyard/client";
import { Sparkles } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { useKeptText, withoutSent } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useCommit, useDraftMessage, useGitState, usePush } from "./queries.ts";

interface CommitBarProps {
  session: Session;
  isRunning: boolean;
  /** How many files are not committed. */
  openFiles: number;
}

export function CommitBar({ session, isRunning, openFiles }: CommitBarProps) {
  const { data: git, error: gitError } = useGitState(session);
  const [message, setMessage] = useKeptText(`commit:${session.id}`);
  const [done, setDone] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraftMessage(session);
  const commit = useCommit(session);
  const push = usePush(session);
  // Asleep, git is not asked, so a push may still have something to do.
  const canPush = git?.available === false || git?.hasUnpushedCommits === true;
  const isBusy = isRunning || commit.isPending || push.isPending;
  const error = draft.error ?? commit.error ?? push.error ?? gitError;
  /** The bar shows only the result of the last action. */
  const begin = () => {
    setDone("");
    for (const action of [draft, commit, push]) if (action.isError) action.reset();
  };
  const settle = (sha: string) => {
    setMessage((now) => withoutSent(now, message));
    setDone(`Committed ${sha.slice(0, 7)}.`);
  };
  // The message is settled also where the panel is left before the answer comes.
  const save = () => {
    begin();
    commit
      .mutateAsync(message)
      .then(settle, () => {})
      // The button cannot be pressed while it commits, so it has lost the focus.
      .then(() => document.activeElement === document.body && field.current?.focus());
  };

  return (
    <div className="flex flex-col gap-2">
      {error ? <Refusal error={error} /> : null}
      <form
        className="flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (message.trim() !== "" && !isBusy) save();
        }}
      >
        <div className="relative min-w-48 flex-1">
          <textarea
            ref={field}
            aria-label="Message of the commit"
            placeholder={
              openFiles > 0 ? `Commit ${openFiles} ${openFiles === 1 ? "file" : "files"}` : "All is committed"
            }
            rows={1}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
            className="field-sizing-content block max-h-40 min-h-8 w-full resize-none rounded-control border border-line-strong/50 bg-panel py-1.5 pr-9 pl-3 text-ui max-md:text-[16px] pointer-coarse:min-h-11 pointer-coarse:py-[11px]"
          />
          <button
            type="button"
            aria-label="Draft it"
            title="Draft it"
            disabled={draft.isPending || openFiles === 0}
            onClick={() => {
              begin();
              // What was typed meanwhile stays.
              draft.mutate(undefined, { onSuccess: (text) => setMessage((now) => (now === message ? text : now)) });
            }}
            className="absolute top-0.5 right-0.5 inline-flex size-7 items-center justify-center rounded-[6px] text-quiet hover:bg-sunk hover:text-ink disabled:opacity-40 pointer-coarse:size-10"
          >
            <Sparkles className={`size-4 ${draft.isPending ? "lamp" : ""}`} aria-hidden="true" />
          </button>
        </div>
        <Button disabled={message.trim() === "" || isBusy || openFiles === 0} onClick={save}>
          {commit.isPending ? "Committing…" : "Commit"}
        </Button>
        <Button
          disabled={isBusy || !canPush}
          onClick={() => {
            begin();
            push.mutate(undefined, { onSuccess: () => setDone("Pushed.") });
          }}
        >
          {push.isPending ? "Pushing…" : "Push"}
        </Button>
      </form>
      <p role="status" className="text-meta text-quiet empty:hidden">
        {isRunning
          ? "A turn runs: commit and push wait until it ends."
          : done || (git?.available === false ? "Asleep: draft, commit and push wake the sandbox." : "")}
      </p>
    </div>
  );
}
