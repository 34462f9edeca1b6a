// A picture whose parts show their numbers: the arrow keys walk through them, and the part that is
// pointed at or focused is shown.
import { type KeyboardEvent, useRef, useState } from "react";

interface Walk {
  count: number;
  /** The part that Tab reaches before the first walk. */
  first: number;
  back: "ArrowUp" | "ArrowLeft";
  forward: "ArrowDown" | "ArrowRight";
}

export function useWalk({ count, first, back, forward }: Walk) {
  const [shown, setShown] = useState<number | null>(null);
  const [stop, setStop] = useState(first);
  const picture = useRef<SVGSVGElement>(null);
  const at = Math.min(stop, count - 1);

  function walk(event: KeyboardEvent): void {
    if (event.key === "Escape") setShown(null);
    const moves: Record<string, number> = { [forward]: at + 1, [back]: at - 1, Home: 0, End: count - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    picture.current
      ?.querySelectorAll<SVGGElement>("[data-part]")
      .item(Math.max(0, Math.min(next, count - 1)))
      .focus();
  }

  return {
    /** The part that shows its numbers; null for none. */
    shown,
    /** For the picture. */
    picture: { ref: picture, onKeyDown: walk, onPointerLeave: () => setShown(null) },
    /** For each part. */
    part: (index: number) => ({
      "data-part": "",
      tabIndex: index === at ? 0 : -1,
      onFocus: () => {
        setStop(index);
        setShown(index);
      },
      onBlur: () => setShown(null),
      onPointerEnter: () => setShown(index),
    }),
  };
}
