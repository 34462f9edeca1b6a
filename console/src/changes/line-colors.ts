// The colors of a diff. Each hunk is colored twice, as it was and as it is, because the lines of
// both sides together are no program.
import { useEffect, useState } from "react";
import type { ThemedToken } from "shiki/core";
import { colorCodes, findGrammarOfPath } from "../conversation/highlighter.ts";
import type { PatchLine } from "./parse-patch.ts";

/** A longer diff stays plain: coloring it would be felt. */
const coloredLines = 3_000;
const coloredCharacters = 200_000;

/** A part of one side of a file, and the place in the diff of each of its lines. */
export interface SidePart {
  code: string;
  places: number[];
}

/** The parts of a diff to color. An unchanged line is colored once, as a line of the new side. */
export function listSideParts(lines: readonly PatchLine[]): SidePart[] {
  const parts: SidePart[] = [];
  const begins = lines.flatMap(({ kind }, at) => (kind === "hunk" ? [at] : []));
  for (const [index, begin] of begins.entries()) {
    const places = Array.from({ length: (begins[index + 1] ?? lines.length) - begin }, (_, at) => begin + at);
    const of = (...kinds: PatchLine["kind"][]) => places.filter((at) => kinds.includes(lines[at]?.kind ?? "note"));
    const sides = [of("same", "added"), ...(of("removed").length > 0 ? [of("same", "removed")] : [])];
    for (const side of sides)
      if (side.length > 0) parts.push({ code: side.map((at) => lines[at]?.text ?? "").join("\n"), places: side });
  }
  return parts;
}

export type LineColors = ReadonlyMap<number, readonly ThemedToken[]>;

const none: LineColors = new Map();

/** The colored parts of lines by their place in the diff. It is empty until they are there. */
export function useLineColors(path: string, lines: readonly PatchLine[]): LineColors {
  const [colors, setColors] = useState<{ lines: readonly PatchLine[]; byPlace: LineColors }>({ lines, byPlace: none });
  useEffect(() => {
    const grammar = findGrammarOfPath(path);
    const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
    if (grammar === null || lines.length > coloredLines || characters > coloredCharacters) return;
    let isShown = true;
    const color = async () => {
      const byPlace = new Map<number, readonly ThemedToken[]>();
      // An unchanged line keeps the colors of the new side, which come last.
      const parts = listSideParts(lines).reverse();
      const codes = parts.map(({ code }) => code);
      const colored = await colorCodes(codes, grammar);
      if (!isShown) return;
      for (const [part, { places }] of parts.entries())
        for (const [index, at] of places.entries()) byPlace.set(at, colored[part]?.[index] ?? []);
      setColors({ lines, byPlace });
    };
    // Without its colors, a diff is as good as before.
    color().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [path, lines]);
  return colors.lines === lines ? colors.byPlace : none;
}
