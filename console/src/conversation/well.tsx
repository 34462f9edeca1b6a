// A sunk well of plain text: what a tool was called with and what it said, cut to some lines.
import type { ReactNode } from "react";
import { formatCount } from "./foot.ts";
import { splitLines } from "./tool-text.ts";
import { useKept } from "./use-kept.ts";

const shownLines = 40;

interface WellProps {
  text: string;
  label: string;
  /** Under this name, it stays whole. */
  keptAs?: string;
  /** Cut to its last lines, where a failure is explained, instead of its first. */
  isEnd?: boolean;
  /** Given if the text is not all of it. */
  onMore?: (() => void) | undefined;
  moreLabel?: string;
}

export function Well({ text, label, keptAs, isEnd = false, onMore, moreLabel }: WellProps) {
  const [isWhole, setIsWhole] = useKept(keptAs ?? null, false);
  const lines = splitLines(text);
  const isCut = !isWhole && lines.length > shownLines + 3;
  const shown = isEnd ? lines.slice(-shownLines) : lines.slice(0, shownLines);
  const button = isCut && (
    <WellButton onClick={() => setIsWhole(true)}>Show all {formatCount(lines.length, "line")}</WellButton>
  );
  return (
    <div className="divide-y divide-line overflow-hidden rounded-block bg-sunk">
      {isEnd && button}
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard.
        tabIndex={0}
        dir="ltr"
        className={`${isWhole ? "max-h-[80vh]" : ""} overflow-auto whitespace-pre-wrap p-3 font-mono text-code [overflow-wrap:anywhere]`}
      >
        {isCut ? shown.join("\n") : text}
      </section>
      {!isEnd && button}
      {!isCut && onMore && <WellButton onClick={onMore}>{moreLabel}</WellButton>}
    </div>
  );
}

export function WellButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="block w-full px-3 py-1.5 text-center text-meta text-quiet -outline-offset-2 hover:text-ink pointer-coarse:py-3.5"
    >
      {children}
    </button>
  );
}
