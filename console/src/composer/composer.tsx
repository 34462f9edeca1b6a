// The composer: where a person writes the next message. It is live at every moment.

import type { Schemas } from "@switchyard/client";
import { ArrowUp, CornerDownRight, ListPlus, Square } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { queryClient } from "../api.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Button } from "../ui/button.tsx";
import { useIsTouch } from "../ui/phone.ts";
import { Name } from "../ui/visible-text.tsx";
import { ClosedNote } from "./closed-note.tsx";
import { type SessionPath, wakeAhead } from "./deliver.ts";
import { beginEdit, listAnswers } from "./draft.ts";
import { useDraft } from "./draft-box.ts";
import { DropArea, FileButton } from "./drop-area.tsx";
import { ElementChips } from "./element-chips.tsx";
import { FailedTurn } from "./failed-turn.tsx";
import { FileChips } from "./file-chips.tsx";
import { findFileProblem } from "./files.ts";
import { MessageField } from "./message-field.tsx";
import { ModelMenu } from "./model-menu.tsx";
import { OutgoingList, WaitingNote } from "./outgoing-list.tsx";
import { PageChip } from "./page-chip.tsx";
import { runCommand } from "./run-command.ts";
import { findClosedReason, isBusy, readKey } from "./send-rules.ts";
import { readCommand } from "./slash.ts";
import { StepRefusal } from "./step-refusal.tsx";
import { useStop } from "./use-stop.ts";
import { useTurn } from "./use-turn.ts";

export function Composer({ live }: { live: LiveSession }) {
  const record = live.state?.session ?? live.session?.data ?? null;
  const path = record && { projectId: record.projectId, sessionId: record.id };
  const { draft, box } = useDraft(path);
  const turn = useTurn(live);
  const isTouch = useIsTouch();
  const stop = useStop(path, turn);
  const [failure, setFailure] = useState<unknown>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  const isLive = live.line === "live";
  useEffect(() => {
    if (isLive) box?.retry();
  }, [isLive, box]);

  if (!record || !path || !box) return null;
  const closed = findClosedReason(record.status);
  const answers = listAnswers(draft.picks, turn.phase === "asks" ? turn.jobId : null);
  const problem = findFileProblem(draft.files);
  const hasContent = draft.text.trim() !== "" || draft.files.length > 0 || answers !== undefined;
  const canSend = hasContent && problem === null && closed === null;
  const busy = isBusy(turn.phase);

  async function start(command: NonNullable<ReturnType<typeof readCommand>>, to: SessionPath): Promise<void> {
    const before = draft.text;
    box?.change((known) => ({ ...known, text: "", notice: null }));
    let isTaken = false;
    try {
      await runCommand(to, command, (notice) => {
        isTaken = true;
        box?.change((known) => ({ ...known, notice }));
      });
    } catch (error) {
      setFailure(error);
      if (!isTaken) box?.addText(before);
    }
  }

  function send(isSteer: boolean): void {
    if (!canSend || !box || !path) return;
    setFailure(null);
    const command = draft.files.length === 0 ? readCommand(draft.text) : null;
    if (command) return void start(command, path);
    box.send({
      answers,
      ...(isSteer ? { steer: true } : {}),
      ...(busy && turn.jobId ? { runningJobId: turn.jobId } : {}),
    });
    field.current?.focus();
  }

  /** Edits the person's last message that waits; false where there is none. */
  function editLast(): boolean {
    const queue = queryClient.getQueryData<Schemas["Queue"]>(["queue", path?.sessionId]);
    const message = queue?.messages.findLast(({ can }) => can.edit);
    if (!message) return false;
    box?.change((known) => beginEdit(known, message));
    return true;
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const { key, shiftKey, metaKey, ctrlKey, altKey } = event;
    if (key === "ArrowUp" && draft.text === "" && !altKey && editLast()) {
      event.preventDefault();
      return;
    }
    const { isComposing } = event.nativeEvent;
    const action = readKey({ key, shiftKey, metaKey, ctrlKey, altKey, isComposing }, turn.phase, isTouch);
    if (!action) return;
    event.preventDefault();
    send(action === "steer");
  }

  return (
    <section aria-label="Composer" className="mt-2">
      <ClosedNote session={record} />
      <FailedTurn turn={turn} box={box} />
      <WaitingNote sessionId={record.id} messages={draft.outgoing} />
      <OutgoingList messages={draft.outgoing} questions={turn.questions} box={box} />
      {[draft.refusal, failure, stop.error].map(
        (error, at) =>
          error !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: each has its place.
            <div key={at} className="mb-2">
              <StepRefusal
                error={error}
                onAgain={at === 0 && canSend ? () => send(false) : undefined}
                onClose={() => {
                  box.change((known) => ({ ...known, refusal: null }));
                  setFailure(null);
                  stop.clear();
                }}
              />
            </div>
          ),
      )}
      {draft.notice && (
        <p role="status" className="mb-2 rounded-block bg-amber-tint px-4 py-2 text-amber-ink text-ui">
          {draft.notice}
        </p>
      )}
      <DropArea onFiles={(files) => box.addFiles(files)}>
        {draft.files.length > 0 && (
          <div className="px-3 pt-3">
            <FileChips
              files={draft.files}
              onRemove={(at) => box.change((known) => ({ ...known, files: known.files.filter((_, n) => n !== at) }))}
            />
          </div>
        )}
        <PageChip page={draft.page} onPage={(page) => box.change((known) => ({ ...known, page }))} />
        <ElementChips
          elements={draft.elements}
          onRemove={(element) =>
            box.change((known) => ({ ...known, elements: known.elements.filter((one) => one !== element) }))
          }
        />
        <MessageField
          field={field}
          path={path}
          model={record.model}
          text={draft.text}
          placeholder={placeholderOf(turn.phase)}
          onText={(text) => {
            box.change((known) => ({ ...known, text, notice: null }));
            if (turn.jobId !== null) wakeAhead(path, { status: record.status, phase: turn.phase, text });
          }}
          onFiles={(files) => box.addFiles(files)}
          onKey={press}
        />
        {problem && (
          <p role="status" className="px-4 pb-1 text-amber-ink text-ui">
            <Name>{problem}</Name>
          </p>
        )}
        <div className="flex flex-wrap items-center gap-1 p-2">
          <span className="flex min-w-0 flex-1 basis-32 items-center">
            <FileButton onFiles={(files) => box.addFiles(files)} />
            <ModelMenu session={record} isBusy={busy} />
          </span>
          <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
            {busy && (
              <Button disabled={stop.isStopping} title="Stop the turn (⌘.)" onClick={stop.stop}>
                <Square className="size-3 fill-current" aria-hidden="true" />
                {stop.isStopping ? "Stopping…" : "Stop"}
              </Button>
            )}
            {turn.phase === "running" && turn.isMine && hasContent && (
              <Button disabled={!canSend} title="Steer the running turn (⌘⇧Enter)" onClick={() => send(true)}>
                <CornerDownRight className="size-4" aria-hidden="true" /> Steer
              </Button>
            )}
            <Button
              kind={turn.phase === "asks" && draft.text.trim() === "" ? "quiet" : "main"}
              disabled={!canSend}
              title={busy ? "Up next (Enter)" : "Send (Enter)"}
              onClick={() => send(false)}
            >
              {busy ? (
                <ListPlus className="size-4" aria-hidden="true" />
              ) : (
                <ArrowUp className="size-4" aria-hidden="true" />
              )}
              {busy ? "Up next" : "Send"}
            </Button>
          </span>
        </div>
      </DropArea>
      {record.status === "under-review" && (
        <p className="mt-1 px-2 text-meta text-quiet">
          Sending makes the pull request a draft again, then the agent works.
        </p>
      )}
    </section>
  );
}

function placeholderOf(phase: ReturnType<typeof useTurn>["phase"]): string {
  if (phase === "asks") return "Answer in your own words…";
  return isBusy(phase) ? "Write what comes next…" : "Message the agent…";
}
