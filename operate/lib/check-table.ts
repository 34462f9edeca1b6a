// The table of checks that an operator reads: what is wrong, what is missing and what is fine, each
// with what to do.
import type { Check } from "../cloudflare/checks.ts";

const signs = { wrong: "WRONG", missing: "missing", ok: "ok" };
const order = Object.keys(signs);
/** The widths of the first two columns, with the space after them, and of the third one. */
const widths = { state: 9, what: 46, help: 64 };

/** Formats checks as the lines of a table, those that need something first. */
export function formatCheckTable(checks: readonly Check[]): string[] {
  const sorted = checks.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const rows = sorted.flatMap(({ state, what, help }) => formatRow(signs[state], what, help));
  const counts = order.map((state) => `${checks.filter((check) => check.state === state).length} ${state}`);
  return [...formatRow("STATE", "WHAT", "WHAT TO DO"), ...rows, "", `${counts.join(", ")}.`];
}

function formatRow(state: string, what: string, help: string): string[] {
  const cells = { what: wrap(what, widths.what - 2), help: wrap(help, widths.help) };
  return Array.from({ length: Math.max(cells.what.length, cells.help.length) }, (_, line) =>
    [
      (line === 0 ? state : "").padEnd(widths.state),
      (cells.what[line] ?? "").padEnd(widths.what),
      cells.help[line] ?? "",
    ]
      .join("")
      .trimEnd(),
  );
}

/** A word that is longer than a line, such as an address, has a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "" || `${line} ${word}`.length <= width)
      lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
