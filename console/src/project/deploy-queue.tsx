// Up next of the Deploy Chat: the messages that wait for the deploy agent, and steers that its turn
// has not taken yet.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Pause } from "lucide-react";
import { useEffect, useState } from "react";
import { queryClient } from "../api.ts";
import { joinTexts, type QueueEdit } from "../composer/draft.ts";
import { FileChips } from "../composer/file-chips.tsx";
import { useUserId } from "../shell/profile.ts";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { readKeptText, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { describePause, nameAuthor } from "../up-next/queue.ts";
import { SteerList } from "../up-next/steer-list.tsx";
import { changeQueued, deployQueueQuery, type QueueStep, resumeDeployQueue } from "./deploy-calls.ts";
import { isDeployOpen } from "./deploy-words.ts";
import { formatEdits, parseEdits, takeLeft, withEdit } from "./queue-edits.ts";

interface DeployQueueProps {
  projectId: string;
  /** The newest event about it; null before the first. */
  event: Schemas["QueueEvent"] | null;
  status: string;
  /** The message that is being written, and what changes it. */
  draft: ReturnType<typeof useKeptText>;
}

export function DeployQueue({ projectId, event, status, draft: [draft, setDraft] }: DeployQueueProps) {
  const { data: queue, error } = useQuery(deployQueueQuery(projectId));
  const userId = useUserId();
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { queryKey } = deployQueueQuery(projectId);
  // What may be done with a message changes with the Deploy.
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again at each change.
  useEffect(() => {
    queryClient.invalidateQueries({ queryKey });
  }, [event, status]);

  const editsKey = `deploy-queue-edits-${projectId}`;
  const [kept, keep] = useKeptText(editsKey);
  const edits = parseEdits(kept);
  const [leftText, setLeftText] = useState("");
  // What I edit was sent or deleted meanwhile: my text becomes a draft.
  useEffect(() => {
    const before = parseEdits(readKeptText(editsKey));
    if (!queue || before.length === 0) return;
    const { edits: still, text } = takeLeft(before, queue.messages);
    if (still.length === before.length) return;
    keep(formatEdits(still));
    setDraft((now) => joinTexts(now, text));
    setLeftText(text);
  }, [queue, editsKey, keep, setDraft]);

  async function act(step: () => Promise<void>): Promise<boolean> {
    setRefusal(null);
    setIsBusy(true);
    const failure = await step().then(
      () => null,
      (one: unknown) => one,
    );
    setRefusal(failure);
    setIsBusy(false);
    return failure === null;
  }

  const messages = queue?.messages ?? [];
  const below = (
    <>
      <SteerList steers={queue?.steers ?? []} userId={userId} />
      {leftText !== "" && draft.includes(leftText) && (
        <p role="status" className="mt-3 text-meta text-quiet">
          That message has left Up next. Your edit is in the field below.
        </p>
      )}
    </>
  );
  if (messages.length === 0 && !error && refusal === null) return below;
  return (
    <>
      <section aria-label="Up next" className="mt-3 rounded-card border border-line bg-panel">
        <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1">
          <h3 className="font-bold text-meta text-quiet">
            Up next <span className="tabular-nums">{messages.length}</span>
          </h3>
          {queue?.paused && (
            <>
              <span className="inline-flex min-w-0 items-center gap-1.5 text-amber-ink text-meta">
                <Pause className="size-3.5 shrink-0" aria-hidden="true" /> {describePause(queue.paused)}
              </span>
              <Button className="ml-auto" disabled={isBusy} onClick={() => act(() => resumeDeployQueue(projectId))}>
                Resume
              </Button>
            </>
          )}
        </div>
        <ol className="divide-y divide-line border-line border-t">
          {messages.map((message, at) => (
            <Waiting
              key={message.id}
              message={message}
              at={at}
              last={messages.length - 1}
              author={nameAuthor(message.author, userId)}
              isRunning={isDeployOpen(status)}
              isBusy={isBusy}
              edit={edits.find(({ id }) => id === message.id) ?? null}
              onEdit={(edit) => keep((now) => formatEdits(withEdit(parseEdits(now), message.id, edit)))}
              onStep={(step) => act(() => changeQueued(projectId, message.id, step))}
            />
          ))}
        </ol>
        {(error ?? refusal) !== null && (
          <div className="border-line border-t p-2">
            <Refusal error={error ?? refusal} />
          </div>
        )}
      </section>
      {below}
    </>
  );
}

interface WaitingProps {
  message: Schemas["QueuedMessage"];
  at: number;
  last: number;
  author: string;
  isRunning: boolean;
  isBusy: boolean;
  edit: QueueEdit | null;
  onEdit: (edit: QueueEdit | null) => void;
  /** Resolves with true where it was done. */
  onStep: (step: QueueStep) => Promise<boolean>;
}

function Waiting({ message, at, last, author, isRunning, isBusy, edit, onEdit, onStep }: WaitingProps) {
  const { id, content, version, can, attachments } = message;
  const isConflict = edit !== null && edit.version !== version;
  const [isSaving, setIsSaving] = useState(false);

  async function save(): Promise<void> {
    if (edit === null || edit.text.trim() === "") return;
    setIsSaving(true);
    if (await onStep({ do: "edit", content: edit.text.trim(), version: edit.version })) onEdit(null);
    setIsSaving(false);
  }

  return (
    <li className="flex flex-wrap items-start gap-x-2 gap-y-1 px-4 py-2">
      <div className="min-w-0 flex-1 basis-64">
        <p className="text-meta text-quiet">
          <Name>{author}</Name>
        </p>
        {edit === null || isConflict ? (
          <p dir="auto" className="line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {content}
          </p>
        ) : null}
        {isConflict && <p className="mt-1 text-amber-ink text-meta">It was changed meanwhile. Yours is below.</p>}
        {edit && (
          <textarea
            aria-label="Edit the message"
            value={edit.text}
            readOnly={isSaving}
            onChange={({ target }) => onEdit({ ...edit, text: target.value })}
            dir="auto"
            rows={2}
            className={`${fieldClass} field-sizing-content mt-1 max-h-60 resize-none py-2`}
          />
        )}
        <FileChips files={attachments.map(({ name, byteSize }) => ({ name, size: byteSize }))} />
      </div>
      <div className="ml-auto flex flex-wrap justify-end">
        {edit ? (
          <>
            {isConflict ? (
              <Button disabled={isBusy} onClick={() => onEdit({ ...edit, version })}>
                Keep mine
              </Button>
            ) : (
              <Button kind="main" disabled={isBusy || edit.text.trim() === ""} onClick={save}>
                Save
              </Button>
            )}
            <Button kind="bare" onClick={() => onEdit(null)}>
              {isConflict ? "Take theirs" : "Cancel"}
            </Button>
          </>
        ) : (
          <>
            {can.steer && isRunning && <Step word="Steer" isBusy={isBusy} onClick={() => onStep({ do: "steer" })} />}
            {can.edit && !isRunning && <Step word="Send now" isBusy={isBusy} onClick={() => onStep({ do: "send" })} />}
            {can.move && at > 0 && (
              <Step word="Up" isBusy={isBusy} onClick={() => onStep({ do: "move", toIndex: at - 1 })} />
            )}
            {can.move && at < last && (
              <Step word="Down" isBusy={isBusy} onClick={() => onStep({ do: "move", toIndex: at + 1 })} />
            )}
            {can.edit && (
              <Step
                word="Edit"
                isBusy={isBusy}
                onClick={() => onEdit({ id, version, original: content, text: content })}
              />
            )}
            {can.delete && <Step word="Delete" isBusy={isBusy} onClick={() => onStep({ do: "delete" })} />}
          </>
        )}
      </div>
    </li>
  );
}

const Step = ({ word, isBusy, onClick }: { word: string; isBusy: boolean; onClick: () => void }) => (
  <Button kind="bare" className="px-2!" disabled={isBusy} onClick={onClick}>
    {word}
  </Button>
);
