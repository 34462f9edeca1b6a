// The numbers of the page of usage: amounts, the axis of the bars, and rows that add up.
import { expect, test } from "vitest";
import {
  formatExactUsd,
  formatLimit,
  formatUsd,
  formatUsdTick,
  parseLimit,
  toCents,
} from "../../console/src/usage/amounts.ts";
import { makeAxis } from "../../console/src/usage/axis.ts";
import { listBars, makeTable, nameGroup } from "../../console/src/usage/report.ts";
import type { Grouping } from "../../console/src/usage/search.ts";

test.each([
  [null, "–"],
  [0, "$0.00"],
  [0.000_001, "<$0.01"],
  [0.005, "$0.01"],
  [1.005, "$1.01"],
  [1.004_999_999, "$1.00"],
  [1234.5, "$1,234.50"],
])("%s dollars are %s", (usd, words) => {
  expect(formatUsd(usd)).toBe(words);
});

test("an exact amount has all of its digits", () => {
  expect([1, 0.000_000_12, 1.076].map(formatExactUsd)).toEqual(["$1.00", "$0.00000012", "$1.076"]);
});

test.each([
  [0, [0, 1]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [0.9, [0, 0.25, 0.5, 0.75, 1]],
  [3, [0, 1, 2, 3]],
  [7.3, [0, 2, 4, 6, 8]],
  [10, [0, 2.5, 5, 7.5, 10]],
  [101, [0, 50, 100, 150]],
  [0.003, [0, 0.001, 0.002, 0.003]],
  [987_654, [0, 250_000, 500_000, 750_000, 1_000_000]],
])("an axis up to %d has the ticks %j", (max, ticks) => {
  expect(makeAxis(max)).toEqual({ ticks, end: ticks.at(-1) });
});

test.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 5, 10]],
  [10, [0, 5, 10]],
])("an axis of counts up to %d has the ticks %j", (max, ticks) => {
  expect(makeAxis(max, { isWhole: true }).ticks).toEqual(ticks);
});

test("every axis has round steps, and holds its values", () => {
  for (let max = 0.000_007; max < 1e9; max *= 1.37) {
    const { ticks, end } = makeAxis(max);
    expect(end).toBeGreaterThanOrEqual(max * 0.999_999);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(end - (ticks.at(-2) ?? 0)).toBeLessThanOrEqual(max * 1.000_001);
  }
});

test.each([
  [0, 50, "$0"],
  [1_500, 500, "$1,500"],
  [0.5, 0.25, "$0.50"],
  [2.5, 2.5, "$2.50"],
  [0.005, 0.0025, "$0.0050"],
])("the tick %d of steps of %d is %s", (usd, step, words) => {
  expect(formatUsdTick(usd, step)).toBe(words);
});

test.each([
  ["500", 500],
  [" $49.50 ", 49.5],
  ["1,000,000", 1_000_000],
  ["0", 0],
  ["1,00", expect.stringContaining("Type an amount")],
  ["1.234", expect.stringContaining("Type an amount")],
  ["-5", expect.stringContaining("Type an amount")],
  ["1e3", expect.stringContaining("Type an amount")],
  ["1000001", "The highest limit is $1,000,000.00."],
])("the limit “%s” is %s", (text, limit) => {
  expect(parseLimit(text)).toEqual(limit);
});

test.each([
  [25.5, "25.50"],
  [50, "50.00"],
  [1_000_000, "1000000.00"],
  [0.125, "0.125"],
])("the limit %d is shown in its field as %s", (usd, text) => {
  expect(formatLimit(usd)).toBe(text);
});

const sum = (costUsd: number | null, calls = 1) => ({
  ...{ jobs: 1, calls, inputTokens: 100, cachedTokens: 10, outputTokens: 1 },
  costUsd,
});
const group = (id: string | null, costUsd: number | null, name: string | null = id) => ({ id, name, ...sum(costUsd) });
const report = (groups: ReturnType<typeof group>[], costUsd: number | null, by: Grouping = "project") => {
  const count = groups.length;
  const total = { jobs: count, calls: count, inputTokens: 100 * count, cachedTokens: 10 * count, outputTokens: count };
  return { from: "", to: "", by, groups, total: { ...total, costUsd } };
};

test.each([
  ["cents that add up", [1.25, 0.75], 2, 0],
  ["halves that round up", [0.005, 0.005], 0.01, -1],
  ["amounts below a cent", [0.004, 0.004, 0.004, 0.004], 0.016, 2],
  ["nothing to pay in some", [null, 0.3], 0.3, 0],
  ["nothing to pay at all", [null, null], null, 0],
])("rows and rounding are the total: %s", (_, costs, total, roundingCents) => {
  const made = makeTable(
    report(
      costs.map((cost, place) => group(`g${place}`, cost)),
      total,
    ),
    () => null,
  );
  expect(made.roundingCents).toBe(roundingCents);
  const shown = made.rows.reduce((cents, { costUsd }) => cents + toCents(costUsd ?? 0), 0);
  expect(shown + made.roundingCents).toBe(toCents(total ?? 0));
});

test("what the service does not list is a row of its own", () => {
  const listed = report([group("a", 0.1), group("b", 0.2)], 0.35);
  const total = { ...listed.total, calls: 9, inputTokens: 1_000 };
  const { rows } = makeTable({ ...listed, total }, () => null);
  expect(rows.at(-1)).toMatchObject({ key: "rest", name: "All others", costUsd: 0.05, calls: 7, inputTokens: 800 });
});

test.each<[Grouping, string | null, string | null, string]>([
  ["session", "s1", "Sort departures", "Sort departures"],
  ["session", "s1", null, "Deleted session"],
  ["session", null, null, "Outside of sessions"],
  ["member", null, null, "Sent by no member"],
  ["model", "zai:old", null, "zai:old"],
])("a group by %s with the id %s and the name %s is “%s”", (by, id, name, words) => {
  expect(nameGroup({ id, name }, by)).toBe(words);
});

test.each<[Grouping, page: string | undefined]>([
  ["session", "/s/$session"],
  ["cron", "/crons/$cron"],
  ["project", "/p/$project"],
  ["member", undefined],
  ["model", undefined],
])("a group by %s has the page %s unless it is deleted", (by, to) => {
  const { rows } = makeTable(report([group("g1", 1, "Kept"), group("g2", 1, null)], 2, by), () => null);
  expect(rows.map(({ page }) => page?.to)).toEqual([to, undefined]);
  if (to) expect(rows[0]?.page?.params).toHaveProperty(by, "g1");
});

test("bars are sorted by what they show, and the smallest share one", () => {
  const { rows } = makeTable(
    report([group("a", 0.1), group("b", null), group("c", 0.3), group("d", 0.2)], 0.6),
    () => null,
  );
  const bars = listBars(rows, "cost", 3);
  expect(bars.map(({ name, costUsd }) => [name, costUsd])).toEqual([
    ["c", 0.3],
    ["d", 0.2],
    ["All others", 0.1],
  ]);
  expect(listBars(rows, "tokens")).toHaveLength(4);
});
