// Whether a row that scrolls has more to the right, so that the edge can show it.
import { type RefObject, useEffect, useState } from "react";

/** Fades the right edge of a row. */
export const fadedEdge = "[mask-image:linear-gradient(to_right,black_calc(100%-3.5rem),transparent)]";

export function useHasMore(row: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setHasMore] = useState(false);
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const look = () => setHasMore(element.scrollLeft + element.clientWidth < element.scrollWidth - 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [row]);
  return hasMore;
}
