// The end of a section: why it was not saved, what somebody else saved meanwhile, and its buttons.
import { useEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import type { EditedSection } from "./use-section.ts";

interface SaveBarProps<Saved> {
  edited: Omit<EditedSection<Saved>, "change">;
  /** What is saved as lines, for people. */
  describe: (saved: Saved) => string[];
  /** Why it cannot be saved as it is. */
  mistake?: string | null;
}

function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === document.body || (activeElement?.matches(":disabled") ?? false);
}

export function SaveBar<Saved>({ edited, describe, mistake = null }: SaveBarProps<Saved>) {
  const { error, state, isChanged, theirs, keepMine, discard } = edited;
  const isSaving = state === "saving";
  const status = useRef<HTMLSpanElement>(null);
  // The field or the button that had the focus may be gone or disabled after a save.
  useEffect(() => {
    if (state === "saved" && isFocusLost()) status.current?.focus();
  }, [state]);
  return (
    <>
      {theirs && (
        <div role="alert" className="mt-4 rounded-block bg-amber-tint px-4 py-3">
          <p className="text-amber-ink">Somebody else changed this meanwhile. Yours is above. It is now:</p>
          <pre className="mt-2 max-h-60 overflow-y-auto whitespace-pre-wrap font-mono text-code [overflow-wrap:anywhere]">
            {describe(theirs.value).join("\n") || "(empty)"}
          </pre>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={keepMine} disabled={isSaving || mistake !== null}>
              Save mine instead
            </Button>
            <Button onClick={discard}>Take theirs</Button>
          </div>
        </div>
      )}
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      {mistake !== null && (
        <p role="alert" className="mt-4 text-red-ink [overflow-wrap:anywhere]">
          {mistake}
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button type="submit" kind="main" disabled={!isChanged || isSaving || mistake !== null || theirs !== null}>
          {isSaving ? "Saving…" : "Save"}
        </Button>
        {isChanged && !isSaving && (
          <Button kind="bare" onClick={discard}>
            Discard
          </Button>
        )}
        <span ref={status} role="status" tabIndex={-1} className="text-quiet outline-none">
          {state === "saved" ? "Saved" : ""}
        </span>
      </div>
    </>
  );
}
