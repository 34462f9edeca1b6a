// Asks before work is lost: what only the sandbox has, and that it goes with the session.

import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { countLoss, type Loss } from "./moves.ts";

interface LossDialogProps {
  title: string;
  ending: { status: "completed" | "archived"; loss: Loss } | null;
  onKeep: () => void;
  onEnd: () => void;
}

const shownMax = 8;

export function LossDialog({ title, ending, onKeep, onEnd }: LossDialogProps) {
  const action = ending?.status === "completed" ? "Complete" : "Archive";
  return (
    <Dialog title={`${action} “${title}”?`} isOpen={ending !== null} onClose={onKeep}>
      {ending && (
        <>
          <p className="mt-2 text-quiet">
            It has {countLoss(ending.loss)}. This is in its sandbox alone: it goes with the session, and nobody can
            bring it back.
          </p>
          <Names title="Files" names={ending.loss.files} />
          <Names title="Commits" names={ending.loss.commits} />
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <Button kind="danger" onClick={onEnd}>
              {action} and lose it
            </Button>
            <Button kind="main" onClick={onKeep} autoFocus>
              Keep the session
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Names({ title, names }: { title: string; names: string[] }) {
  const known = names.filter((name) => name !== "");
  if (known.length === 0) return null;
  return (
    <section className="mt-3">
      <h3 className="font-bold text-meta text-quiet">{title}</h3>
      <ul className="mt-1 rounded-control bg-sunk px-3 py-2 font-mono text-code">
        {known.slice(0, shownMax).map((name) => (
          <li key={name} title={toVisibleName(name)}>
            <Name className="block truncate">{name}</Name>
          </li>
        ))}
        {known.length > shownMax && <li className="text-quiet">and {known.length - shownMax} more</li>}
      </ul>
    </section>
  );
}
