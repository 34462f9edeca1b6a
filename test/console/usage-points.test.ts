// The days and months that the columns of a usage report show.
import { expect, test } from "vitest";
import { findInterval, findTicks, formatPoint } from "../../console/src/usage/points.ts";

test.each([
  ["a day", "2026-11-28", "2026-11-28", "day"],
  ["a quarter", "2026-07-01", "2026-09-30", "day"],
  ["more than a quarter", "2026-07-01", "2026-10-01", "month"],
])("the columns of %s are by %s", (_, from, to, interval) => {
  expect(findInterval({ from, to })).toBe(interval);
});

test.each([
  [0, []],
  [1, [0]],
  [2, [0, 1]],
  [4, [0, 3]],
  [31, [0, 15, 30]],
])("of %i columns, few are named", (count, named) => {
  expect(findTicks(count)).toEqual(named);
});

test("a column has the day or month of its timezone", () => {
  expect(formatPoint("2026-10-31T23:00:00Z", "day", "Europe/Berlin")).toBe("Nov 1");
  expect(formatPoint("2026-10-31T23:00:00Z", "month", "Europe/Berlin")).toBe("Nov 2026");
});
