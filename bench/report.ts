// The report: findings as a table for people and as JSON for programs.
import type { Finding } from "./finding.ts";
import type { CountedRow } from "./measure-counts.ts";

/** Formats the findings, one per line: the medians, each followed by the 95th percentile. */
export function findingsTable(findings: Finding[]): string {
  const rows = findings.map((finding) => {
    const { name, unit, against, againstP95, ratio, note } = finding;
    return [
      name,
      withP95(finding.value, finding.p95, unit),
      against === null ? "" : withP95(against, againstP95, unit),
      ratio === null ? "" : `× ${short(ratio)}`,
      barText(finding),
      verdict(finding),
      note ?? "",
    ];
  });
  return table([["", "median (p95)", "against", "ratio", "bar", "", ""], ...rows]);
}

/** Formats the calls of requests to D1, to objects and to the store. */
export function countsTable(rows: CountedRow[]): string {
  const head = [
    "per request",
    "D1 round trips",
    "statements",
    "rows read",
    "rows written",
    "object calls",
    "store calls",
  ];
  const lines = rows.map(({ what, counts }) => [
    what,
    ...[
      counts.roundTrips,
      counts.statements,
      counts.rowsRead,
      counts.rowsWritten,
      counts.objectCalls,
      counts.storeCalls,
    ].map(String),
  ]);
  return table([head, ...lines]);
}

/** Formats the findings as JSON. */
export function findingsJson(findings: Finding[]): string {
  const rows = findings.map(({ name, value, unit, against, ratio, bar, holds }) => ({
    name,
    value,
    unit,
    against,
    ratio,
    bar,
    holds,
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

function withP95(value: number, p95: number | null, unit: string): string {
  return `${short(value)}${p95 === null ? "" : ` (${short(p95)})`} ${unit}`;
}

function barText({ bar, ratio, unit, holds }: Finding): string {
  if (bar === null) return "";
  const isRatio = ratio !== null || holds === null;
  return isRatio ? `≤ × ${short(bar)}` : `≤ ${short(bar)} ${unit}`;
}

function verdict({ bar, holds }: Finding): string {
  if (holds === null) return bar === null ? "" : "not measured";
  return holds ? "holds" : "DOES NOT HOLD";
}

function short(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
