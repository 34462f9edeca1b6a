// A sunk well of plain text: what a tool was called with and what it said, cut to some lines.
import { useState } from "react";
import { formatCount } from "./foot.ts";
import { splitLines } from "./tool-text.ts";

const shownLines = 40;

interface WellProps {
  text: string;
  label: string;
  /** Given where the text is not all of it. */
  onMore?: (() => void) | undefined;
  moreLabel?: string | undefined;
}

export function Well({ text, label, onMore, moreLabel }: WellProps) {
  const [isWhole, setIsWhole] = useState(false);
  const lines = splitLines(text);
  const isCut = !isWhole && lines.length > shownLines + 3;
  return (
    <div className="overflow-hidden rounded-block bg-sunk">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
        tabIndex={0}
        dir="ltr"
        className="max-h-[70vh] overflow-auto whitespace-pre-wrap p-3 font-mono text-code [overflow-wrap:anywhere]"
      >
        {isCut ? lines.slice(0, shownLines).join("\n") : text}
      </section>
      {isCut && <WellButton onClick={() => setIsWhole(true)}>Show all {formatCount(lines.length, "line")}</WellButton>}
      {!isCut && onMore && <WellButton onClick={onMore}>{moreLabel}</WellButton>}
    </div>
  );
}

export function WellButton({ onClick, children }: { onClick: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="block w-full border-line border-t px-3 py-1.5 text-meta text-quiet -outline-offset-2 hover:text-ink pointer-coarse:py-3.5"
    >
      {children}
    </button>
  );
}
