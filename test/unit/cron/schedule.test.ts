import { describe, expect, it } from "vitest";
import { getNextFire } from "../../../src/cron/rules/next-fire.ts";
import { readSchedule, type Schedule } from "../../../src/cron/rules/schedule.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

/** Reads a valid schedule. */
function schedule(text: string): Schedule {
  const read = readSchedule(text);
  if (isRefusal(read)) throw new Error(read.message);
  return read;
}

/** The next slots of a schedule in UTC, after the first minute of 2027. */
function slots(text: string, count: number): string[] {
  const found: string[] = [];
  for (let at = Date.UTC(2027, 0, 1); found.length < count; ) {
    at = getNextFire(schedule(text), "UTC", at);
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe("a schedule", () => {
  it.each([
    ["0 9 * * *", ["2027-01-01T09:00", "2027-01-02T09:00"]],
    ["\t30  8\t* * * ", ["2027-01-01T08:30", "2027-01-02T08:30"]],
    ["*/20 0 * * *", ["2027-01-01T00:20", "2027-01-01T00:40", "2027-01-02T00:00"]],
    ["5/25 3 * * *", ["2027-01-01T03:05", "2027-01-01T03:30", "2027-01-01T03:55", "2027-01-02T03:05"]],
    ["0 8-12/2 * * *", ["2027-01-01T08:00", "2027-01-01T10:00", "2027-01-01T12:00", "2027-01-02T08:00"]],
    ["0 0 * * MON-wed", ["2027-01-04T00:00", "2027-01-05T00:00", "2027-01-06T00:00", "2027-01-11T00:00"]],
    ["0 0 * * 7", ["2027-01-03T00:00", "2027-01-10T00:00"]],
    ["0 0 * * 0", ["2027-01-03T00:00", "2027-01-10T00:00"]],
    ["0 0 * * 5-7", ["2027-01-02T00:00", "2027-01-03T00:00", "2027-01-08T00:00"]],
    ["0 0 1 feb,OCT *", ["2027-02-01T00:00", "2027-10-01T00:00", "2028-02-01T00:00"]],
    ["0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00"]],
    // Both day fields are restricted: either matches.
    ["0 0 13 * 5", ["2027-01-08T00:00", "2027-01-13T00:00", "2027-01-15T00:00"]],
    ["0 0 31 2 1", ["2027-02-01T00:00", "2027-02-08T00:00"]],
    // One begins with *: both must match.
    ["0 0 */2 * 5", ["2027-01-15T00:00", "2027-01-29T00:00", "2027-02-05T00:00"]],
    ["0 0 13 * */5", ["2027-06-13T00:00", "2027-08-13T00:00"]],
    // A 29 February on a Monday, past the year 2100, which has none.
    ["0 0 29 2 */1", ["2028-02-29T00:00"]],
  ])("%j fires at %j", (text, expected) => {
    expect(slots(text, expected.length)).toEqual(expected);
  });

  it.each([
    "",
    "* * * *",
    "0 0 * * * *",
    "@daily",
    "0 0 L * *",
    "0 0 15W * *",
    "0 0 * * 5#",
    "0 0 ? * *",
    "~ 0 * * *",
    "60 * * * *",
    "0 24 * * *",
    "0 0 0 * *",
    "0 0 32 * *",
    "0 0 * 13 *",
    "0 0 * * 8",
    "*/0 * * * *",
    "*/90 * * * *",
    "5-1 * * * *",
    "0 0 * * fri-sun",
    "0 0 * mon *",
    "jan 0 * * *",
    "1, 0 * * *",
    "1,,2 0 * * *",
    "1-2-3 0 * * *",
    "1/2/3 0 * * *",
    "*-5 0 * * *",
    "-5 0 * * *",
    "+5 0 * * *",
    "1.5 0 * * *",
    "005 0 * * *",
    "0 0\n* * *",
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
    "0 0 31 2 */2",
    `${"1,".repeat(600)}1 0 * * *`,
  ])("%j is refused", (text) => {
    expect(readSchedule(text)).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("is read in linear time", () => {
    const long = [" ", "\t", "1,", "/", "-", "*", "a"].map((piece) => piece.repeat(2_000_000));
    for (const text of long) expect(isRefusal(readSchedule(`${text} 0 * * *`))).toBe(true);
  });
});
