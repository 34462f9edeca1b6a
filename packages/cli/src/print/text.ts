// Texts for a terminal. What a service says may contain control characters, which would move the
// cursor or change what was printed before; they are shown as signs.
import { toVisible } from "@switchyard/client";
import { createColors } from "picocolors";

/** A text in one line. */
export function toLine(text: string): string {
  return toVisible(text).replace(/[\n\t]+/g, " ");
}

/**
 * A long text as stdout takes it: cleaned in a terminal, else as it is. A file or a program needs
 * every character, such as the carriage returns of a patch.
 */
export function toPrinted(text: string): string {
  return process.stdout.isTTY ? toVisible(text) : text;
}

export type Style = "dim" | "bold" | "green" | "red" | "yellow" | "cyan";

interface Stream {
  isTTY?: boolean;
}

const coloured = createColors(true);

/** A styled text, where the stream that it is written to takes colours. */
export function toStyled(style: Style, text: string, stream: Stream = process.stdout): string {
  return takesColours(stream) ? coloured[style](text) : text;
}

/** The log of a CI run is no terminal: `CI` turns nothing on, as it does in the default colours. */
function takesColours(stream: Stream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR || process.argv.includes("--no-color")) return false;
  return Boolean(FORCE_COLOR) || (stream.isTTY === true && TERM !== "dumb");
}

/** Rows with aligned columns. The last column is as long as it is. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** Names with their values, one a line. What has no value is left out. */
export function formatNamed(named: readonly (readonly [name: string, value: string | null])[]): string[] {
  const width = Math.max(...named.map(([name]) => name.length));
  return named.flatMap(([name, value]) =>
    value === null ? [] : [`${toStyled("dim", name.padEnd(width))}  ${toLine(value)}`],
  );
}
