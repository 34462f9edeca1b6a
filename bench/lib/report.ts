// The report: findings as a table for people and as JSON for programs.

import type { CostRow } from "../measures/cost.ts";
import type { CountedRow } from "./counted-row.ts";
import type { Counts } from "./counts.ts";
import type { Finding } from "./result.ts";

/** Formats the findings, one per line: the medians, each followed by the 95th percentile. */
export function formatFindings(findings: Finding[]): string {
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

const countedColumns: [head: string, name: keyof Counts][] = [
  ["D1 round trips", "roundTrips"],
  ["statements", "statements"],
  ["rows read", "rowsRead"],
  ["rows written", "rowsWritten"],
  ["object calls", "objectCalls"],
  ["alarms", "alarms"],
  ["messages", "messages"],
  ["object rows read", "objectRowsRead"],
  ["written", "objectRowsWritten"],
  ["busy ms", "objectBusyMs"],
  ["Worker requests", "workerRequests"],
  ["store calls", "storeCalls"],
  ["class A", "storeWrites"],
  ["class B", "storeReads"],
];

/**
 * Formats the calls of requests to D1, to objects and to the store, and what else is billed for
 * them.
 */
export function formatCounts(rows: CountedRow[]): string {
  const lines = rows.map(({ what, counts }) => [what, ...countedColumns.map(([, name]) => String(counts[name]))]);
  return table([["per request", ...countedColumns.map(([head]) => head)], ...lines]);
}

/** Formats the usage of a turn and the cost of a thousand turns, and the sum. */
export function formatCosts(rows: CostRow[]): string {
  const lines = rows.map(({ what, ofOneTurn, dollarsOfThousand }) => [
    what,
    short(ofOneTurn),
    dollarsOfThousand.toFixed(3),
  ]);
  const sum = rows.reduce((total, { dollarsOfThousand }) => total + dollarsOfThousand, 0);
  return table([["what a standard turn uses", "of one", "dollars per 1,000"], ...lines, ["all", "", sum.toFixed(2)]]);
}

/** Formats the findings as JSON. */
export function formatFindingsJson(findings: Finding[]): string {
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
