// The edit of a message that waits. What somebody else wrote meanwhile is shown, and never lost.
import type { Schemas } from "@switchyard/client";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { service } from "../api.ts";
import type { QueueEdit } from "../composer/draft.ts";
import type { DraftBox } from "../composer/draft-box.ts";
import { StepRefusal } from "../composer/step-refusal.tsx";
import { Button } from "../ui/button.tsx";
import { isChanged, isGone, type ShownQueue } from "./use-queue.ts";

interface QueueEditorProps {
  message: Schemas["QueuedMessage"];
  edit: QueueEdit;
  queue: ShownQueue;
  box: DraftBox;
  onClose: () => void;
}

const patch = "PATCH /api/projects/{projectId}/chat-sessions/{sessionId}/queue/{queuedMessageId}";
/** Others see for two minutes that a message is being edited. */
const renewMs = 90_000;

/** An edit continues the text. */
function putCaretAtEnd(field: HTMLTextAreaElement | null): void {
  field?.setSelectionRange(field.value.length, field.value.length);
}

export function QueueEditor({ message, edit, queue, box, onClose }: QueueEditorProps) {
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { id, version, content } = message;
  const shown = useRef(Promise.resolve());
  const isConflict = version !== edit.version && content !== edit.text;

  useEffect(() => {
    const path = { ...box.path, queuedMessageId: id };
    // Others lose nothing where this does not arrive: the version decides.
    // One after the other, so that the last one counts.
    const show = (editing: boolean) => {
      shown.current = shown.current
        .then(() => service.request(patch, { path, body: { editing } }))
        .then(
          () => {},
          () => {},
        );
    };
    show(true);
    const timer = setInterval(() => show(true), renewMs);
    return () => {
      clearInterval(timer);
      show(false);
    };
  }, [id, box]);

  function end(): void {
    box.change((draft) => ({ ...draft, edit: null }));
    onClose();
  }

  async function save(ofVersion: number): Promise<void> {
    if (edit.text.trim() === "") return;
    if (edit.text === content) return end();
    setIsSaving(true);
    setError(null);
    const refusal = await queue.edit(id, edit.text.trim(), ofVersion);
    setIsSaving(false);
    if (refusal === null) return end();
    // The list is read again, and shows what they wrote, or that the message has gone.
    if (!isChanged(refusal) && !isGone(refusal)) setError(refusal);
  }

  function press(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !isConflict) {
      event.preventDefault();
      save(edit.version);
    }
    if (event.key === "Escape") {
      // What is typed stays, and the panel beside it too.
      event.preventDefault();
      if (edit.text === edit.original) end();
    }
  }

  return (
    <div className="my-1">
      {isConflict && (
        <div className="mb-2 rounded-block bg-amber-tint px-3 py-2">
          <p className="text-amber-ink text-meta">It was changed meanwhile. It now says:</p>
          <p dir="auto" className="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {content}
          </p>
        </div>
      )}
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit it.
        autoFocus
        ref={putCaretAtEnd}
        dir="auto"
        aria-label="Edit the message"
        value={edit.text}
        readOnly={isSaving}
        className="field-sizing-content block max-h-[30vh] min-h-11 w-full resize-none rounded-control border border-line-strong bg-ground px-3 py-2 text-prose outline-none focus:border-accent pointer-coarse:text-[16px]"
        onChange={({ target }) => box.change((draft) => ({ ...draft, edit: { ...edit, text: target.value } }))}
        onKeyDown={press}
      />
      <div className="mt-2 flex flex-wrap gap-2">
        {isConflict ? (
          <>
            <Button kind="main" disabled={isSaving} onClick={() => save(version)}>
              Keep mine
            </Button>
            <Button onClick={end}>Take theirs</Button>
          </>
        ) : (
          <>
            <Button kind="main" disabled={isSaving || edit.text.trim() === ""} onClick={() => save(edit.version)}>
              {isSaving ? "Saving…" : "Save"}
            </Button>
            <Button kind="bare" onClick={end}>
              Cancel
            </Button>
          </>
        )}
      </div>
      {error !== null && (
        <div className="mt-2">
          <StepRefusal error={error} onAgain={() => save(version)} onClose={() => setError(null)} />
        </div>
      )}
    </div>
  );
}
