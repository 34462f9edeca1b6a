// What a line of a diff looks like, by itself or beside its other side.
import { type RefObject, useEffect, useRef } from "react";
import type { ThemedToken } from "shiki/core";
import { ColoredLine } from "../conversation/colored-line.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import type { PatchLine } from "./parse-patch.ts";

/** A line at its place in the diff. */
export interface SideLine {
  at: number;
  line: PatchLine;
  tokens: readonly ThemedToken[] | undefined;
  isChosen: boolean;
  isFocus: boolean;
}

export const tones: Record<PatchLine["kind"], string> = {
  same: "",
  added: "bg-green-tint",
  removed: "bg-red-tint",
  hunk: "bg-sunk text-quiet",
  note: "text-quiet italic",
};
export const signs: Record<PatchLine["kind"], string> = { same: " ", added: "+", removed: "−", hunk: " ", note: " " };

/** Shows a mouse on a line that one can comment on it. The number keeps its place. */
export const commentMark =
  "before:absolute before:left-1 before:text-[13px] before:text-accent before:opacity-0 before:content-['✎'] group-hover/line:before:opacity-100";

export function LineText({ line, tokens }: { line: PatchLine; tokens: readonly ThemedToken[] | undefined }) {
  if (line.kind === "hunk")
    return (
      <span className="text-meta">
        Line {line.new}{" "}
        <bdi>
          <VisibleText>{line.text}</VisibleText>
        </bdi>
      </span>
    );
  return <bdi>{tokens ? <ColoredLine tokens={tokens} /> : <VisibleText>{line.text}</VisibleText>}</bdi>;
}

/** Brings a line into view when the arrow keys lead to it. */
export function useShownLine(isFocus: boolean): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocus) row.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isFocus]);
  return row;
}
