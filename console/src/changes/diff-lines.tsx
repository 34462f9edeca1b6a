// The lines of a changed file, with numbers, or its two sides beside each other. A click on a
// line's number, or Enter on the line that the arrow keys lead to, begins a comment. A finger, for
// which lines are too low, chooses one by its text, and then presses a button.
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useMemo, useRef } from "react";
import { useIsTouch } from "../ui/phone.ts";
import { LineChunk, linesAChunk } from "./line-chunk.tsx";
import type { LineColors } from "./line-colors.ts";
import { commentMark, LineText, type SideLine, signs, tones, useShownLine } from "./line-parts.tsx";
import type { PatchLine } from "./parse-patch.ts";
import { type Selection, sideOf } from "./selected-lines.ts";
import { SplitLine } from "./split-line.tsx";
import { type DiffRow, findNextLine, toSplitRows, toUnifiedRows } from "./split-rows.ts";

interface DiffLinesProps {
  label: string;
  lines: readonly PatchLine[];
  /** The old side beside the new one. */
  isSplit: boolean;
  colors: LineColors;
  selection: Selection | null;
  onSelect: (selection: Selection, isDone: boolean) => void;
  /** What is shown below a line, such as its comments. */
  below: ReadonlyMap<number, ReactNode>;
}

export const DiffLines = memo(function DiffLines({
  label,
  lines,
  isSplit,
  colors,
  selection,
  onSelect,
  below,
}: DiffLinesProps) {
  const isTouch = useIsTouch();
  const lastAnchor = useRef<number | null>(null);
  const rows = useMemo(() => (isSplit ? toSplitRows(lines) : toUnifiedRows(lines)), [isSplit, lines]);
  const starts = Array.from({ length: Math.ceil(rows.length / linesAChunk) }, (_, at) => at * linesAChunk);

  const click = (event: MouseEvent) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const row = (isTouch ? target : target.closest("[data-number]"))?.closest("[data-at]");
    if (!row) return;
    const focus = Number(row.getAttribute("data-at"));
    const anchor = event.shiftKey && lastAnchor.current !== null ? lastAnchor.current : focus;
    lastAnchor.current = anchor;
    onSelect({ anchor, focus }, !isTouch);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const focus = findNextLine(rows, selection?.focus ?? null, event.key);
    if (focus !== null) {
      event.preventDefault();
      onSelect({ anchor: event.shiftKey && selection ? selection.anchor : focus, focus }, false);
    } else if ((event.key === "Enter" || event.key === "c") && selection) {
      event.preventDefault();
      onSelect(selection, true);
    }
  };

  const belowOf = (at: number | null) => (at === null ? undefined : below.get(at));
  const [from, to] = selection
    ? [Math.min(selection.anchor, selection.focus), Math.max(selection.anchor, selection.focus)]
    : [-1, -1];
  const toSide = (at: number | null): SideLine | null => {
    const line = at === null ? undefined : lines[at];
    if (at === null || !line) return null;
    return {
      at,
      line,
      tokens: colors.get(at),
      isChosen: at >= from && at <= to,
      isFocus: at === selection?.focus,
    };
  };
  const drawUnified = (row: DiffRow) => {
    const side = toSide(row.new);
    return side && <Line key={row.new} {...side} below={belowOf(row.new)} />;
  };
  // Beside each other, a choice is of the lines of one side.
  const chosenSide = selection && lines[selection.focus] ? sideOf(lines[selection.focus] as PatchLine) : null;
  const drawSplit = (row: DiffRow) => {
    const [old, added] = [toSide(row.old), toSide(row.new)];
    const isBoth = row.old === row.new;
    return (
      <SplitLine
        key={`${row.old} ${row.new}`}
        old={old && { ...old, isChosen: old.isChosen && chosenSide === "old", isFocus: old.isFocus && !isBoth }}
        new={added && { ...added, isChosen: added.isChosen && chosenSide === "new" }}
        isWhole={row.isWhole}
        belowOld={isBoth ? undefined : belowOf(row.old)}
        belowNew={belowOf(row.new)}
      />
    );
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of lines would be read cell by cell.
    <div
      role="group"
      data-lines
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows choose a line.
      tabIndex={0}
      aria-label={label}
      className="group/lines overflow-x-auto font-mono text-code outline-offset-[-2px] focus-visible:outline-2 focus-visible:outline-accent"
      onMouseDown={({ target, currentTarget }) => {
        const side = (target as Element).closest("[data-side]")?.getAttribute("data-side");
        currentTarget.dataset.picks = side ?? "";
      }}
      onClick={click}
      onKeyDown={press}
    >
      <div className={isSplit ? "" : "min-w-max"}>
        {starts.map((start) => {
          const shown = rows.slice(start, start + linesAChunk);
          return (
            <LineChunk
              key={`${isSplit} ${start}`}
              isFirst={start === 0}
              isKept={shown.some((row) => belowOf(row.old) || belowOf(row.new))}
              count={shown.length}
            >
              {() => shown.map(isSplit ? drawSplit : drawUnified)}
            </LineChunk>
          );
        })}
      </div>
    </div>
  );
});

const Line = memo(function Line({ at, line, tokens, isChosen, isFocus, below }: SideLine & { below: ReactNode }) {
  const row = useShownLine(isFocus);
  const canComment = line.kind !== "hunk" && line.kind !== "note";
  return (
    <>
      <div
        ref={row}
        data-at={at}
        className={`group/line flex min-h-5 ${tones[line.kind]} ${isChosen ? "bg-accent-tint" : ""}`}
      >
        <span
          {...(canComment ? { "data-number": "", title: "Comment on this line" } : {})}
          className={`sticky left-0 flex shrink-0 select-none pointer-fine:pl-4 text-right text-meta text-quiet leading-5 tabular-nums ${isChosen ? "bg-accent-tint" : line.kind === "same" || line.kind === "note" ? "bg-panel" : tones[line.kind]} ${canComment ? `cursor-pointer hover:text-accent ${commentMark} ${isFocus ? "before:opacity-100" : ""}` : ""}`}
        >
          <span className="w-10 pr-2">{line.kind === "hunk" ? "" : line.old}</span>
          <span className="w-10 pr-2">{line.kind === "hunk" ? "" : line.new}</span>
        </span>
        <span className="w-4 shrink-0 select-none text-quiet" aria-hidden="true">
          {signs[line.kind]}
        </span>
        <span className="whitespace-pre pr-4">
          <LineText line={line} tokens={tokens} />
        </span>
      </div>
      {below}
    </>
  );
});
