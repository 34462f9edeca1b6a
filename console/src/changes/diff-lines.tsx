// The lines of a changed file, with numbers. Lines far from the window keep their place only. A
// click on a line's number, or Enter on the line that the arrow keys lead to, begins a comment.
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useEffect, useRef, useState } from "react";
import type { ThemedToken } from "shiki/core";
import { ColoredLine } from "../conversation/colored-line.tsx";
import type { LineColors } from "./line-colors.ts";
import type { PatchLine } from "./parse-patch.ts";

export interface Selection {
  anchor: number;
  focus: number;
}

interface DiffLinesProps {
  label: string;
  lines: readonly PatchLine[];
  colors: LineColors;
  selection: Selection | null;
  onSelect: (selection: Selection, isDone: boolean) => void;
  /** What is shown below a line, such as its comments. */
  below: ReadonlyMap<number, ReactNode>;
}

const lineHeight = 20;
const linesAChunk = 100;

const tones: Record<PatchLine["kind"], string> = {
  same: "",
  added: "bg-green-tint",
  removed: "bg-red-tint",
  hunk: "bg-sunk text-quiet",
  note: "text-quiet italic",
};
const signs: Record<PatchLine["kind"], string> = { same: " ", added: "+", removed: "−", hunk: " ", note: " " };

export const DiffLines = memo(function DiffLines({ label, lines, colors, selection, onSelect, below }: DiffLinesProps) {
  const lastAnchor = useRef<number | null>(null);
  const starts = Array.from({ length: Math.ceil(lines.length / linesAChunk) }, (_, at) => at * linesAChunk);

  const click = (event: MouseEvent) => {
    const row = (event.target as Element).closest<HTMLElement>("[data-number]")?.closest<HTMLElement>("[data-at]");
    if (!row) return;
    const focus = Number(row.getAttribute("data-at"));
    const anchor = event.shiftKey && lastAnchor.current !== null ? lastAnchor.current : focus;
    lastAnchor.current = anchor;
    onSelect({ anchor, focus }, true);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const focus = Math.min(lines.length - 1, Math.max(0, (selection?.focus ?? -1) + step));
      onSelect({ anchor: event.shiftKey && selection ? selection.anchor : focus, focus }, false);
    } else if ((event.key === "Enter" || event.key === "c") && selection) {
      event.preventDefault();
      onSelect(selection, true);
    }
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of lines would be read cell by cell.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows choose a line.
      tabIndex={0}
      aria-label={label}
      className="overflow-x-auto font-mono text-code outline-offset-[-2px] focus-visible:outline-2 focus-visible:outline-accent"
      onClick={click}
      onKeyDown={press}
    >
      <div className="min-w-max">
        {starts.map((start) => (
          <Chunk
            key={start}
            start={start}
            lines={lines.slice(start, start + linesAChunk)}
            colors={colors}
            selection={selection}
            below={below}
          />
        ))}
      </div>
    </div>
  );
});

interface ChunkProps {
  start: number;
  lines: readonly PatchLine[];
  colors: LineColors;
  selection: Selection | null;
  below: ReadonlyMap<number, ReactNode>;
}

function Chunk({ start, lines, colors, selection, below }: ChunkProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(start === 0);
  const [height, setHeight] = useState(lines.length * lineHeight);
  useEffect(() => {
    const node = place.current;
    if (!node) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
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
  const [from, to] = selection
    ? [Math.min(selection.anchor, selection.focus), Math.max(selection.anchor, selection.focus)]
    : [-1, -1];
  const hasBelow = lines.some((_, at) => below.has(start + at));
  return (
    <div ref={place} style={isNear || hasBelow ? undefined : { height }}>
      {(isNear || hasBelow) &&
        lines.map((line, at) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is named by its place.
            key={start + at}
            at={start + at}
            line={line}
            tokens={colors.get(start + at)}
            isChosen={start + at >= from && start + at <= to}
            isFocus={start + at === selection?.focus}
            below={below.get(start + at)}
          />
        ))}
    </div>
  );
}

interface LineProps {
  at: number;
  line: PatchLine;
  tokens: readonly ThemedToken[] | undefined;
  isChosen: boolean;
  isFocus: boolean;
  below: ReactNode;
}

const Line = memo(function Line({ at, line, tokens, isChosen, isFocus, below }: LineProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocus) row.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isFocus]);
  const canComment = line.kind !== "hunk" && line.kind !== "note";
  return (
    <>
      <div ref={row} data-at={at} className={`flex min-h-5 ${tones[line.kind]} ${isChosen ? "bg-accent-tint" : ""}`}>
        <span
          {...(canComment ? { "data-number": "", title: "Comment on this line" } : {})}
          className={`sticky left-0 flex shrink-0 select-none text-right text-meta text-quiet leading-5 tabular-nums ${isChosen ? "bg-accent-tint" : line.kind === "same" || line.kind === "note" ? "bg-panel" : tones[line.kind]} ${canComment ? "cursor-pointer hover:text-accent" : ""}`}
        >
          <span className="w-10 pr-2">{line.kind === "hunk" ? "" : line.old}</span>
          <span className="w-10 pr-2">{line.kind === "hunk" ? "" : line.new}</span>
        </span>
        <span className="w-4 shrink-0 select-none text-quiet" aria-hidden="true">
          {signs[line.kind]}
        </span>
        <span className="whitespace-pre pr-4">
          {line.kind === "hunk" ? (
            <span className="text-meta">
              Line {line.new} {line.text}
            </span>
          ) : (
            <bdi>{tokens ? <ColoredLine tokens={tokens} /> : line.text}</bdi>
          )}
        </span>
      </div>
      {below}
    </>
  );
});
