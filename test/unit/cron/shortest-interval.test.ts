import { describe, expect, it } from "vitest";
import { readSchedule } from "../../../src/cron/rules/schedule.ts";
import { checkFloor } from "../../../src/cron/rules/shortest-interval.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

/** The two local times that a refusal names; null if the interval is long enough. */
function meeting(text: string, zone: string): string | null {
  const schedule = readSchedule(text);
  if (isRefusal(schedule)) throw new Error(schedule.message);
  const refusal = checkFloor(schedule, zone, Date.UTC(2026, 10, 22));
  expect(refusal === null || refusal.code === "BAD_REQUEST").toBe(true);
  return refusal && (/fires at (.*) \(/.exec(refusal.message)?.[1] ?? refusal.message);
}

describe("the shortest interval of 15 minutes", () => {
  it.each([
    ["*/15 * * * *", "UTC"],
    ["*/15 * * * *", "America/New_York"],
    ["59 * * * *", "America/New_York"],
    ["0,55 1,3 * * *", "UTC"],
    ["0,45 0,23 * * *", "UTC"],
    // Never on two consecutive days.
    ["55,5 0,23 1 * *", "UTC"],
    ["0 0 29 2 *", "Europe/Berlin"],
    ["30 2 * * *", "America/New_York"],
  ])("%s holds in %s", (text, zone) => {
    expect(meeting(text, zone)).toBeNull();
  });

  it.each([
    ["* * * * *", "UTC", "2026-11-22 00:00 and again at 2026-11-22 00:01"],
    ["0,14 9 * * 1", "UTC", "2026-11-23 09:00 and again at 2026-11-23 09:14"],
    ["0,59 8,9 * * *", "UTC", "2026-11-22 08:59 and again at 2026-11-22 09:00"],
    ["8,55 23,0 * * *", "UTC", "2026-11-22 23:55 and again at 2026-11-23 00:08"],
    // The end of a month meets the first of the next one only in leap years.
    ["0,55 0,23 29,1 2,3 *", "UTC", "2028-02-29 23:55 and again at 2028-03-01 00:00"],
    // The clocks go forward: 1:55 is five minutes before 3:00.
    ["0,55 1,3 * * *", "America/New_York", "2027-03-14 01:55 and again at 2027-03-14 03:00"],
    // What the gap skips fires right after it.
    ["20,50 1,2 * * *", "America/New_York", "2027-03-14 01:50 and again at 2027-03-14 03:00"],
    // The clocks go back by half an hour.
    ["30,55 * * * *", "Australia/Lord_Howe", "2027-04-04 01:55 and again at 2027-04-04 01:30"],
  ])("%s breaks in %s", (text, zone, expected) => {
    expect(meeting(text, zone)).toBe(expected);
  });
});
