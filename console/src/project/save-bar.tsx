// The end of a section of the settings: why it was not saved, what somebody else saved meanwhile,
// and its buttons.
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";

interface SaveBarProps {
  error: unknown;
  state: "saved" | "saving" | null;
  isChanged: boolean;
  /** Why it cannot be saved as it is. */
  mistake?: string | null;
  /** What somebody else saved meanwhile, as lines. */
  theirs?: string[] | null;
  onKeepMine?: () => void;
  onTakeTheirs?: () => void;
  onDiscard: () => void;
}

export function SaveBar(props: SaveBarProps) {
  const { error, state, isChanged, mistake = null, theirs = null, onKeepMine, onTakeTheirs, onDiscard } = props;
  const isSaving = state === "saving";
  return (
    <>
      {theirs && (
        <div role="alert" className="mt-4 rounded-block bg-amber-tint px-4 py-3">
          <p className="text-amber-ink">Somebody else changed this meanwhile. Yours is above. It is now:</p>
          <pre className="mt-2 max-h-60 overflow-y-auto whitespace-pre-wrap font-mono text-code [overflow-wrap:anywhere]">
            {theirs.length === 0 ? "(empty)" : theirs.join("\n")}
          </pre>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={onKeepMine} disabled={isSaving || mistake !== null}>
              Save mine instead
            </Button>
            <Button onClick={onTakeTheirs}>Take theirs</Button>
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
          <Button kind="bare" onClick={onDiscard}>
            Discard
          </Button>
        )}
        <span role="status" className="text-quiet">
          {state === "saved" ? "Saved" : ""}
        </span>
      </div>
    </>
  );
}
