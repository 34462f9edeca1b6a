// Up next: the messages that wait for the running turn to end, and why they wait longer.
import { ChevronRight, Pause } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { findField } from "../composer/find-field.ts";
import { findClosedReason, isBusy } from "../composer/send-rules.ts";
import { StepRefusal } from "../composer/step-refusal.tsx";
import { useTurn } from "../composer/use-turn.ts";
import type { LiveSession } from "../session/live-session.ts";
import { useUserId } from "../shell/profile.ts";
import { Button } from "../ui/button.tsx";
import { useIsPhone } from "../ui/phone.ts";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Prose } from "../ui/visible-text.tsx";
import { describePause } from "./queue.ts";
import { QueueRow } from "./queue-row.tsx";
import { SteerList } from "./steer-list.tsx";
import { useQueue } from "./use-queue.ts";
import { useRowDrag } from "./use-row-drag.ts";
import { useUndo } from "./use-undo.ts";

export function UpNext({ live }: { live: LiveSession }) {
  const record = live.state?.session ?? live.session?.data ?? null;
  const path = record && { projectId: record.projectId, sessionId: record.id };
  const { draft, box } = useDraft(path);
  const queue = useQueue(live);
  const turn = useTurn(live);
  const userId = useUserId();
  const undo = useUndo(path);
  // A phone has no room for the list beside the conversation until it is asked for.
  const isPhone = useIsPhone();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [resuming, setResuming] = useState(false);
  const { messages, paused, count } = queue;
  const isClosed = record !== null && findClosedReason(record.status) !== null;
  const list = useRef<HTMLOListElement>(null);
  const drag = useRowDrag(list, messages.map(({ id }) => id).join(), (from, to) => {
    const message = messages[from];
    if (message) queue.move(message.id, to);
  });
  const focus = useFocusKept("li", findField);
  const isShown = (chosen ?? !isPhone) || draft.edit !== null;

  // What I edit was sent or deleted meanwhile: my text becomes a draft.
  const isAway = draft.edit !== null && count === messages.length && !messages.some(({ id }) => id === draft.edit?.id);
  const isRead = live.state !== null && draft.isRead && (count === 0 || messages.length > 0);
  useEffect(() => {
    if (!isAway || !isRead || !box) return;
    const edit = box.get().edit;
    box.change((known) => ({ ...known, edit: null }));
    if (edit && edit.text !== edit.original)
      box.addText(edit.text, "That message has left Up next. Your edit is in the field below.");
  }, [isAway, isRead, box]);

  async function resume(): Promise<void> {
    setResuming(true);
    await queue.resume();
    setResuming(false);
  }

  const steers = <SteerList steers={queue.steers} userId={userId} />;
  if (!box || (count === 0 && !undo.deleted && queue.error === null)) return steers;
  return (
    <>
      <section {...focus} aria-label="Up next" className="mt-2 rounded-card border border-line bg-panel">
        {count > 0 && (
          <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1">
            <h2>
              <button
                type="button"
                aria-expanded={isShown}
                className="-ml-1 inline-flex min-h-8 items-center gap-1 rounded-control px-1 font-bold text-meta text-quiet hover:text-ink pointer-coarse:min-h-11"
                onClick={() => setChosen(!isShown)}
              >
                <ChevronRight className={`size-3.5 ${isShown ? "rotate-90" : ""}`} aria-hidden="true" />
                Up next <span className="tabular-nums">{count}</span>
              </button>
            </h2>
            {paused && (
              <span className="inline-flex min-w-0 items-center gap-1.5 text-amber-ink text-meta">
                <Pause className="size-3.5 shrink-0" aria-hidden="true" /> {describePause(paused)}
              </span>
            )}
            {paused && !isClosed && (
              <Button className="ml-auto" disabled={resuming} onClick={resume}>
                {resuming ? "Resuming…" : "Resume"}
              </Button>
            )}
          </div>
        )}
        {isShown && messages.length > 0 && (
          <ol
            ref={list}
            className="max-h-[36vh] divide-y divide-line overflow-y-auto border-line border-t last:rounded-b-card"
          >
            {messages.map((message, at) => (
              <QueueRow
                key={message.id}
                message={message}
                at={at}
                last={messages.length - 1}
                queue={queue}
                box={box}
                edit={draft.edit?.id === message.id ? draft.edit : null}
                userId={userId}
                isBusy={isBusy(turn.phase)}
                isClosed={isClosed}
                drag={drag}
                onSteer={async () => queue.show(await queue.steer(message.id))}
                onDelete={() => undo.remove(message, () => queue.remove(message.id)).then(queue.show)}
              />
            ))}
          </ol>
        )}
        {undo.deleted && (
          <div role="status" className="flex items-center gap-3 border-line border-t px-4 py-1 text-quiet text-ui">
            <span className="min-w-0 flex-1 truncate">
              Deleted: <Prose>{undo.deleted.text}</Prose>
            </span>
            <Button
              kind="bare"
              onClick={() => {
                const { text, files } = undo.take();
                box.addText(text);
                box.addFiles(files);
              }}
            >
              Undo
            </Button>
          </div>
        )}
        {queue.error !== null && (
          <div className="border-line border-t p-2">
            <StepRefusal error={queue.error} onClose={queue.clear} />
          </div>
        )}
      </section>
      {steers}
    </>
  );
}
