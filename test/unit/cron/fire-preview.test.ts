// The preview of a schedule: its next fires, and why it would be refused.
import { expect, test } from "vitest";
import { findNextFires } from "../../../src/cron/rules/fire-preview.ts";

const zone = "Europe/Berlin";
const format = (fires: number[]) => fires.map((at) => new Date(at).toISOString().slice(0, 16));

test.each([
  [
    "every day at nine, across the end of summer time",
    "0 9 * * *",
    "2026-10-23T12:00Z",
    ["2026-10-24T07:00", "2026-10-25T08:00", "2026-10-26T08:00"],
  ],
  [
    "a time that the clock skips fires after the gap",
    "30 2 * * *",
    "2027-03-26T12:00Z",
    ["2027-03-27T01:30", "2027-03-28T01:00", "2027-03-29T00:30"],
  ],
  ["leap days", "0 0 29 2 *", "2026-11-24T00:00Z", ["2028-02-28T23:00", "2032-02-28T23:00", "2036-02-28T23:00"]],
])("%s", (_, expression, now, expected) => {
  const { fires, problem } = findNextFires({ expression, zone, count: 3, now: Date.parse(now) });
  expect([format(fires), problem]).toEqual([expected, null]);
});

test("a schedule that fires too often has its fires and the problem", () => {
  const { fires, problem } = findNextFires({ expression: "*/5 * * * *", zone, count: 2, now: Date.UTC(2026, 0, 1) });
  expect([format(fires), problem]).toEqual([
    ["2026-01-01T00:05", "2026-01-01T00:10"],
    expect.stringContaining("Leave at least 15 minutes between two fires."),
  ]);
});

test.each([
  ["0 9 * *", "five fields"],
  ["0 9 30 2 *", "never comes"],
  ["61 9 * * *", "not a valid minute"],
])("%s is a problem without fires", (expression, words) => {
  const { fires, problem } = findNextFires({ expression, zone, count: 5, now: 0 });
  expect([fires, problem]).toEqual([[], expect.stringContaining(words)]);
});
