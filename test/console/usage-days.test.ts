// The days of the page of usage: ranges, time zones, and what an address means.
import { expect, test } from "vitest";
import { addDays, findDay, findDayStart, findMonthStart, findTimeZone, isDay } from "../../console/src/usage/days.ts";
import { findDays, formatDays, readUsageSearch, toTimes, type UsageSearch } from "../../console/src/usage/search.ts";

test.each([
  ["2026-01-31", true],
  ["2024-02-29", true],
  ["2026-02-29", false],
  ["2026-13-01", false],
  ["2026-1-1", false],
  ["0001-01-01", true],
  ["2026-01-31T00:00:00Z", false],
  [20260131, false],
  [undefined, false],
])("%s is a day: %s", (text, is) => {
  expect(isDay(text)).toBe(is);
});

test.each([
  ["2026-03-01", -1, "2026-02-28"],
  ["2026-12-31", 1, "2027-01-01"],
])("%s and %i days is %s", (day, days, expected) => {
  expect(addDays(day, days)).toBe(expected);
});

test.each([
  ["2026-03-31", 0, "2026-03-01"],
  ["2026-01-15", -1, "2025-12-01"],
  ["2026-12-15", 1, "2027-01-01"],
])("the month of %s, %i months later, begins on %s", (day, months, expected) => {
  expect(findMonthStart(day, months)).toBe(expected);
});

test.each([
  ["UTC", "2026-11-28", "2026-11-28T00:00:00.000Z"],
  ["Europe/Berlin", "2026-07-01", "2026-06-30T22:00:00.000Z"],
  ["Europe/Berlin", "2026-12-01", "2026-11-30T23:00:00.000Z"],
  ["Asia/Kolkata", "2026-01-01", "2025-12-31T18:30:00.000Z"],
  ["America/Los_Angeles", "2026-03-08", "2026-03-08T08:00:00.000Z"],
  ["America/Los_Angeles", "2026-03-09", "2026-03-09T07:00:00.000Z"],
  ["Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00.000Z"],
  // The clocks skip from 0:00 to 1:00.
  ["Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00.000Z"],
  // They show the hour after 0:00 twice.
  ["America/Havana", "2024-11-03", "2024-11-03T04:00:00.000Z"],
  // They skip the whole day before.
  ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"],
])("in %s, %s begins at %s", (timeZone, day, at) => {
  expect(new Date(findDayStart(day, timeZone)).toISOString()).toBe(at);
  expect(findDay(Date.parse(at), timeZone)).toBe(day);
  expect(findDay(Date.parse(at) - 1, timeZone)).not.toBe(day);
});

test("a time zone that the browser does not know counts as UTC", () => {
  expect([findTimeZone("Europe/Berlin"), findTimeZone("Mars/Olympus")]).toEqual(["Europe/Berlin", "UTC"]);
});

test.each<[object, UsageSearch]>([
  [{}, {}],
  [{ range: "month", by: "project" }, {}],
  [
    { range: "7-days", by: "cron", show: "tokens" },
    { range: "7-days", by: "cron", show: "tokens" },
  ],
  [{ range: "toString", by: "constructor", show: "both" }, {}],
  [{ from: "2026-01-02" }, {}],
  [
    { from: "2026-02-01", to: "2026-01-02", range: "7-days" },
    { from: "2026-01-02", to: "2026-02-01" },
  ],
  [{ from: "2026-02-30", to: "2026-03-02", range: "30-days" }, { range: "30-days" }],
])("an address with %j means %j", (raw, search) => {
  expect(readUsageSearch({ ...raw })).toEqual(search);
});

test.each<[UsageSearch, string, string]>([
  [{}, "2026-03-01", "2026-03-15"],
  [{ range: "last-month" }, "2026-02-01", "2026-02-28"],
  [{ range: "7-days" }, "2026-03-09", "2026-03-15"],
  [{ range: "30-days" }, "2026-02-14", "2026-03-15"],
  [{ from: "2025-12-30", to: "2026-01-02" }, "2025-12-30", "2026-01-02"],
])("on March 15, %j is from %s to %s", (search, from, to) => {
  expect(findDays(search, "2026-03-15")).toEqual({ from, to });
});

test("days are sent as the times of the workspace's clocks, and read as words", () => {
  const days = { from: "2026-10-01", to: "2026-10-31" };
  expect(toTimes(days, "Europe/Berlin")).toEqual({ from: "2026-09-30T22:00:00.000Z", to: "2026-10-31T23:00:00.000Z" });
  expect(formatDays(days).replaceAll(/\s/g, " ")).toBe("Oct 1 – 31, 2026");
  expect(formatDays({ from: "2026-10-01", to: "2026-10-01" })).toBe("Oct 1, 2026");
});
