// A comment on lines of the changes, and the form for one.

import type { Session } from "@switchyard/client";
import { Check, Pencil, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useUserId } from "../shell/profile.ts";
import { Button } from "../ui/button.tsx";
import { useKeptText } from "../ui/kept-text.ts";
import { useIsTouch } from "../ui/phone.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Name, VisibleText } from "../ui/visible-text.tsx";
import { type Comment, useChangeComment, useDeleteComment } from "./queries.ts";

interface CommentFormProps {
  label: string;
  /** Names the text while it is written. */
  draftKey: string;
  firstText?: string;
  /** True for a form that is there without being asked for: what a person began before. */
  isStarted?: boolean;
  word: string;
  isSaving: boolean;
  error: unknown;
  onSave: (text: string, forget: () => void) => void;
  onCancel: () => void;
}

export function CommentForm({
  label,
  draftKey,
  firstText = "",
  isStarted = false,
  word,
  isSaving,
  error,
  onSave,
  onCancel,
}: CommentFormProps) {
  const [draft, setText] = useKeptText(draftKey);
  const [isTouched, setIsTouched] = useState(false);
  const isTouch = useIsTouch();
  const text = isTouched ? draft : draft || firstText;
  const leave = () => {
    setText("");
    onCancel();
  };
  const canSave = text.trim() !== "" && !isSaving;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) onSave(text, () => setText(""));
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
        autoFocus={!isStarted}
        onFocus={({ target }) => {
          target.setSelectionRange(target.value.length, target.value.length);
          // The bar at the bottom of a phone would cover the buttons.
          if (isTouch) target.form?.scrollIntoView({ block: "center" });
        }}
        aria-label={label}
        placeholder="What should change?"
        value={text}
        readOnly={isSaving}
        rows={3}
        onChange={(event) => {
          setIsTouched(true);
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            // What is typed stays; the button gives it up.
            if (text === firstText) leave();
          }
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && canSave) onSave(text, () => setText(""));
        }}
        className="field-sizing-content block max-h-60 min-h-18 w-full resize-y rounded-control border border-line-strong/50 bg-panel px-3 py-2 font-sans text-ui max-md:text-[16px]"
      />
      {error ? (
        <div className="mt-2">
          <Refusal error={error} />
        </div>
      ) : null}
      <div className="mt-2 flex gap-2">
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true" />
        <Button kind="main" disabled={!canSave} onClick={() => onSave(text, () => setText(""))}>
          {isSaving ? "Saving…" : word}
        </Button>
        <Button kind="bare" onClick={leave}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const small =
  "inline-flex size-7 items-center justify-center rounded-control text-quiet hover:bg-sunk hover:text-ink pointer-coarse:size-11";

export function CommentCard({ session, comment }: { session: Session; comment: Comment }) {
  const userId = useUserId();
  const change = useChangeComment(session);
  const remove = useDeleteComment(session);
  const [isEditing, setIsEditing] = useState(false);
  const { id, author, body, resolved, outdated, startLineNumber, endLineNumber } = comment;
  const member = "userId" in author ? author : null;
  // What is in the card leaves it when an edit ends.
  const focus = useFocusKept("[data-comment]", (box) => box);
  // The form of an edit shows why the edit was refused.
  const refusal = (isEditing ? null : change.error) ?? remove.error;
  const isMine = member !== null && member.userId === userId;
  const lines =
    startLineNumber === endLineNumber ? `line ${endLineNumber}` : `lines ${startLineNumber}–${endLineNumber}`;
  return (
    <div
      {...focus}
      data-comment
      tabIndex={-1}
      className={`rounded-block border border-line bg-panel px-3 py-2 font-sans focus-visible:outline-2 focus-visible:outline-accent ${resolved ? "opacity-70" : ""}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 text-meta text-quiet">
        <Name className="font-medium text-ink">{member?.name ?? "An agent"}</Name>
        <span>{lines}</span>
        <Ago at={comment.createdAt} />
        {outdated && (
          <span className="rounded-control bg-amber-tint px-1.5 text-amber-ink">the lines have changed</span>
        )}
        {resolved && <span className="text-green-ink">✓ resolved</span>}
        <span className="ml-auto flex">
          <button
            type="button"
            className={small}
            aria-label={resolved ? "Open again" : "Resolve"}
            title={resolved ? "Open again" : "Resolve"}
            onClick={() => change.mutate({ id, resolved: !resolved })}
          >
            {resolved ? <RotateCcw className="size-3.5" /> : <Check className="size-3.5" />}
          </button>
          {isMine && (
            <button type="button" className={small} aria-label="Edit" title="Edit" onClick={() => setIsEditing(true)}>
              <Pencil className="size-3.5" />
            </button>
          )}
          <button
            type="button"
            className={small}
            aria-label="Delete the comment"
            title="Delete"
            onClick={() => remove.mutate(id)}
          >
            <Trash2 className="size-3.5" />
          </button>
        </span>
      </div>
      {isEditing ? (
        <CommentForm
          label="Your comment"
          draftKey={`comment:${id}`}
          firstText={body}
          word="Save"
          isSaving={change.isPending}
          error={change.error}
          onCancel={() => setIsEditing(false)}
          onSave={(text, forget) =>
            change.mutateAsync({ id, body: text }).then(
              () => {
                forget();
                setIsEditing(false);
              },
              () => {},
            )
          }
        />
      ) : (
        <p className="whitespace-pre-wrap text-ui [overflow-wrap:anywhere]" dir="auto">
          <VisibleText>{body}</VisibleText>
        </p>
      )}
      {refusal ? <Refusal error={refusal} /> : null}
    </div>
  );
}
