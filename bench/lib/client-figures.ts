// The figures of the table of clients in `docs/guide/library.md`. A test checks that the document
// contains it.
import { formatTable } from "./markdown-table.ts";
import type { Finding } from "./result.ts";

/** A figure of a client, and what it may be at most. */
export type ClientFigure = Pick<Finding, "name" | "value" | "unit" | "bar">;

/** Figures of `npm run bench -- --only clients`, on two cores with a load average of 13. */
const recordedFigures: ClientFigure[] = [
  { name: "library: index.js, gzipped", value: 8.5, unit: "KB", bar: 9 },
  { name: "library: state.js, gzipped", value: 1.5, unit: "KB", bar: 1.5 },
  { name: "library: *.d.ts, gzipped", value: 34.5, unit: "KB", bar: 35 },
  { name: "library: 10,000 events reduced", value: 26.4, unit: "ms", bar: 150 },
  { name: "library: from the arrival of an event to its handler, p95", value: 0.2, unit: "ms", bar: 20 },
  { name: "library: live again after a sleep", value: 79, unit: "ms", bar: 1_000 },
  { name: "sy: program, gzipped", value: 51.9, unit: "KB", bar: 80 },
  { name: "sy --version, in addition to the start of Node", value: 16.6, unit: "ms", bar: 40 },
  { name: "sy ls", value: 84.2, unit: "ms", bar: 250 },
  { name: "MCP: first connection", value: 60.9, unit: "ms", bar: 300 },
  { name: "MCP: connection", value: 10.2, unit: "ms", bar: 30 },
  { name: "docs: all files", value: 3.6, unit: "MB", bar: 40 },
  { name: "docs: largest page, gzipped", value: 18.1, unit: "KB", bar: 25 },
];

/** The table, in Markdown. */
export function formatClientFigures(rows: readonly ClientFigure[] = recordedFigures): string {
  const format = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });
  return formatTable(
    ["", "Measured", "At most"],
    rows.map(({ name, value, unit, bar }) => [
      name,
      `${format(value)} ${unit}`,
      bar === null ? "" : `${format(bar)} ${unit}`,
    ]),
  );
}
