// Whether diffs have their sides beside each other: where the person chose it, in this browser, and
// the panel has room for both.
import { type RefObject, useEffect, useState } from "react";

const name = "diff-layout";
/** Two sides with fewer pixels than these would break nearly every line. */
const leastWidth = 600;

function readChoice(): boolean {
  try {
    return localStorage.getItem(name) === "split";
  } catch {
    return false;
  }
}

export function useSplit(box: RefObject<HTMLElement | null>) {
  const [isWanted, setIsWanted] = useState(readChoice);
  const [hasRoom, setHasRoom] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const sizes = new ResizeObserver(([entry]) => entry && setHasRoom(entry.contentRect.width >= leastWidth));
    sizes.observe(box.current);
    return () => sizes.disconnect();
  }, [box]);

  function choose(isSplit: boolean): void {
    setIsWanted(isSplit);
    try {
      localStorage.setItem(name, isSplit ? "split" : "unified");
    } catch {
      // It lasts as long as the page.
    }
  }
  return { isSplit: isWanted && hasRoom, hasRoom, choose };
}
