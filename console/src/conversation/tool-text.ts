// What a tool's row shows: its change as lines, its input, and the lines of its output.
import type { Tool } from "./rows.ts";

export interface ChangedLine {
  sign: "+" | "−" | " ";
  text: string;
}

export interface Change {
  /** One list of lines for each place that was changed. */
  places: ChangedLine[][];
  added: number;
  removed: number;
}

/**
 * Above this, two texts are not compared line by line: all of one goes, and all of the other
 * comes.
 */
const comparedLines = 400;

/**
 * The change that an `edit` or `write` made; null for another tool, or an input of another shape.
 */
export function readChange({ name, input, status }: Pick<Tool, "name" | "input" | "status">): Change | null {
  if (status === "failed" || !isRecord(input)) return null;
  const places = name === "write" ? writtenPlaces(input) : name === "edit" ? editedPlaces(input) : null;
  if (places === null) return null;
  const count = (sign: string) => places.flat().filter((line) => line.sign === sign).length;
  return { places, added: count("+"), removed: count("−") };
}

function writtenPlaces({ content }: Record<string, unknown>): ChangedLine[][] | null {
  return typeof content === "string" ? [compareLines("", content)] : null;
}

function editedPlaces({ edits, oldText, newText }: Record<string, unknown>): ChangedLine[][] | null {
  const all = Array.isArray(edits) ? edits : [{ oldText, newText }];
  const places = all.flatMap((edit) =>
    isRecord(edit) && typeof edit.oldText === "string" && typeof edit.newText === "string"
      ? [compareLines(edit.oldText, edit.newText)]
      : [],
  );
  return places.length === all.length ? places : null;
}

/** The lines of two texts, with those that went and those that came. */
export function compareLines(before: string, after: string): ChangedLine[] {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  let begin = 0;
  while (begin < old.length && begin < fresh.length && old[begin] === fresh[begin]) begin++;
  let end = 0;
  while (end < old.length - begin && end < fresh.length - begin && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const same = (lines: string[]): ChangedLine[] => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(old.slice(0, begin)),
    ...compareMiddles(old.slice(begin, old.length - end), fresh.slice(begin, fresh.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

/** By the longest common subsequence of lines. */
function compareMiddles(old: string[], fresh: string[]): ChangedLine[] {
  const gone = (text: string): ChangedLine => ({ sign: "−", text });
  const come = (text: string): ChangedLine => ({ sign: "+", text });
  if (old.length > comparedLines || fresh.length > comparedLines) return [...old.map(gone), ...fresh.map(come)];
  const width = fresh.length + 1;
  const longest = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] as number;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = fresh.length - 1; column >= 0; column--)
      longest[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: ChangedLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    const [was, is] = [old[row] as string, fresh[column] as string];
    if (was === is) {
      lines.push({ sign: " ", text: was });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push(gone(was));
      row++;
    } else {
      lines.push(come(is));
      column++;
    }
  }
  return [...lines, ...old.slice(row).map(gone), ...fresh.slice(column).map(come)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are for terminals.
const escapes = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\[[0-?]*[ -/]*[@-~])/g;
/** Characters that are not shown, but for tabs and newlines. */
const controls = /(?![\t\n\r])\p{Cc}/gu;

/** A text as a terminal shows it: without colors, and of a line that was written over, the last. */
export function cleanOutput(output: string): string {
  return output
    .replaceAll("\r\n", "\n")
    .replace(escapes, "")
    .replace(controls, "")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replaceAll("\r", "");
}

/** The lines of a text; a newline at its end begins no line. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** The last lines of a text, of which only the end is looked at. */
export function takeLastLines(output: string, count: number): string {
  return splitLines(cleanOutput(output.slice(-8_192)))
    .slice(-count)
    .join("\n");
}

/** True if the block does not hold all that the tool said. */
export function hasMoreOutput({ output, fullOutputBytes, outputCharacters }: Tool): boolean {
  if (output === null) return false;
  return fullOutputBytes !== null || (outputCharacters !== undefined && outputCharacters > output.length);
}

/** What a tool was called with, as text; null where its title says it all. */
export function formatInput({ name, title, input }: Pick<Tool, "name" | "title" | "input">): string | null {
  if (!isRecord(input)) return input === null || input === undefined ? null : JSON.stringify(input, null, 2);
  const said = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  if (said.length === 0) return null;
  const [only] = said;
  if (said.length === 1 && only && typeof only[1] === "string") return only[1] === title ? null : only[1];
  if (name === "bash" && typeof input.command === "string") return input.command === title ? null : input.command;
  return said
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

/** Where a link of an agent's text leads; null for one that is not followed. */
export function readLink(href: string | undefined): string | null {
  const url = href === undefined ? null : URL.parse(href);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
