import { describe, expect, it } from "vitest";
import { getMissedSlots } from "../../../src/cron/rules/missed-slots.ts";
import { readSchedule, type Schedule } from "../../../src/cron/rules/schedule.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

function schedule(text: string): Schedule {
  const read = readSchedule(text);
  if (isRefusal(read)) throw new Error(read.message);
  return read;
}

describe("slots that were missed", () => {
  const quarters = schedule("0 */6 * * *");
  const now = Date.UTC(2027, 0, 10, 13);
  const at = (days: number, hours: number) => Date.UTC(2027, 0, days, hours);
  it.each([
    ["none", at(10, 18), { toFire: null, toSkip: [], next: at(10, 18) }],
    ["one", at(10, 12), { toFire: at(10, 12), toSkip: [], next: at(10, 18) }],
    ["three", at(10, 0), { toFire: at(10, 12), toSkip: [at(10, 0), at(10, 6)], next: at(10, 18) }],
    ["weeks", at(1, 0), { toFire: at(10, 12), toSkip: [at(9, 18), at(10, 0), at(10, 6)], next: at(10, 18) }],
  ])("%s", (_, planned, expected) => {
    expect(getMissedSlots(quarters, "UTC", planned, now)).toEqual(expected);
  });

  it("the newest one is too old after six hours", () => {
    const daily = schedule("0 6 * * *");
    expect(getMissedSlots(daily, "UTC", at(9, 6), now)).toEqual({ toFire: null, toSkip: [at(10, 6)], next: at(11, 6) });
  });
});
