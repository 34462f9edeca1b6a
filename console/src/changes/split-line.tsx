// A row of a diff whose sides are beside each other: a line of the old text, and one of the new.
import { memo, type ReactNode } from "react";
import { commentMark, LineText, type SideLine, signs, tones, useShownLine } from "./line-parts.tsx";

interface SplitLineProps {
  old: SideLine | null;
  new: SideLine | null;
  isWhole: boolean;
  /** What is shown below each line. */
  belowOld: ReactNode;
  belowNew: ReactNode;
}

export const SplitLine = memo(function SplitLine({ old, new: changed, isWhole, belowOld, belowNew }: SplitLineProps) {
  if (isWhole) return old && <WholeRow {...old} />;
  return (
    <>
      <div className="grid grid-cols-2 divide-x divide-line">
        <Cell of={old} side="old" />
        <Cell of={changed} side="new" />
      </div>
      {(belowOld || belowNew) && (
        <div className="grid grid-cols-2 divide-x divide-line bg-sunk [--panel-width:100%]">
          <div className="min-w-0">{belowOld}</div>
          <div className="min-w-0">{belowNew}</div>
        </div>
      )}
    </>
  );
}, isSameRow);

function isSameRow(before: SplitLineProps, row: SplitLineProps): boolean {
  const isSame = (one: SideLine | null, other: SideLine | null) =>
    one?.line === other?.line &&
    one?.tokens === other?.tokens &&
    one?.isChosen === other?.isChosen &&
    one?.isFocus === other?.isFocus;
  return (
    isSame(before.old, row.old) &&
    isSame(before.new, row.new) &&
    before.belowOld === row.belowOld &&
    before.belowNew === row.belowNew
  );
}

function WholeRow({ line, tokens, isChosen, isFocus }: SideLine) {
  const row = useShownLine(isFocus);
  return (
    <div
      ref={row}
      className={`min-h-5 pr-2 pl-14 pointer-fine:pl-18 ${isChosen ? "bg-accent-tint" : tones[line.kind]}`}
    >
      <LineText line={line} tokens={tokens} />
    </div>
  );
}

function Cell({ of, side }: { of: SideLine | null; side: "old" | "new" }) {
  const cell = useShownLine(of?.isFocus ?? false);
  if (!of) return <div className="bg-sunk/60" />;
  const { at, line, tokens, isChosen } = of;
  const canComment = line.kind !== "note";
  return (
    <div
      ref={cell}
      data-at={at}
      data-side={side}
      // Text is chosen on one side at a time.
      className={`group/line flex min-h-5 min-w-0 ${side === "old" ? "group-data-[picks=new]/lines:select-none" : "group-data-[picks=old]/lines:select-none"} ${isChosen ? "bg-accent-tint" : tones[line.kind]}`}
    >
      <span
        {...(canComment ? { "data-number": "", title: "Comment on this line" } : {})}
        className={`relative w-10 shrink-0 select-none pr-2 pointer-fine:w-14 text-right text-meta text-quiet leading-5 tabular-nums ${canComment ? `cursor-pointer hover:text-accent ${commentMark} ${of.isFocus ? "before:opacity-100" : ""}` : ""}`}
      >
        {line[side]}
      </span>
      <span className="w-4 shrink-0 select-none text-quiet" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap pr-2 [overflow-wrap:anywhere]">
        <LineText line={line} tokens={tokens} />
      </span>
    </div>
  );
}
