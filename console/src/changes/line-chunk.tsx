// A part of a long list of lines. Far from the window it keeps its place only.
import { type ReactNode, useEffect, useRef, useState } from "react";

const lineHeight = 20;
export const linesAChunk = 100;

interface LineChunkProps {
  /** True for what must be there immediately, and stay. */
  isKept: boolean;
  isFirst: boolean;
  count: number;
  children: () => ReactNode;
}

export function LineChunk({ isKept, isFirst, count, children }: LineChunkProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(isFirst);
  const [height, setHeight] = useState(count * lineHeight);
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several together, the newest last.
        const entry = entries.at(-1);
        if (!entry) return;
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0) setHeight(entry.boundingClientRect.height);
        // What is being written below a line must not go away.
        setIsNear(entry.isIntersecting || node.contains(document.activeElement));
      },
      { rootMargin: "800px 0px" },
    );
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const isShown = isNear || isKept;
  return (
    <div ref={place} style={isShown ? undefined : { height }}>
      {isShown && children()}
    </div>
  );
}
