// The line below the app while a person points at its elements: what to do, what was chosen, and
// why nothing can be chosen.
import { Button } from "../ui/button.tsx";
import { useIsTouch } from "../ui/phone.ts";
import type { Pointing } from "./use-pointing.ts";

export function PointingBar({ pointing: { isOn, count, problem, finish } }: { pointing: Pointing }) {
  const isTouch = useIsTouch();
  const hint = isTouch ? "Tap an element. Drag to scroll." : "Click an element. Escape ends.";
  const chosen = `${count} ${count === 1 ? "element goes" : "elements go"} along with your message.`;
  return (
    <div className="shrink-0" role="status">
      {problem && <p className="border-line border-t bg-amber-tint px-3 py-2 text-amber-ink text-meta">{problem}</p>}
      {(isOn || count > 0) && (
        <p className="flex flex-wrap items-center gap-2 border-line border-t bg-accent-tint px-3 py-1 text-meta">
          <span className="min-w-0 flex-1 basis-40">
            {isOn && hint} {count > 0 && chosen}
          </span>
          {count > 0 && <Button onClick={finish}>Write the message</Button>}
        </p>
      )}
    </div>
  );
}
