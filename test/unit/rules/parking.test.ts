import { describe, expect, it } from "vitest";
import { triesInFirstDay } from "../../../src/rules/limits.ts";
import { countAttempt, isParked } from "../../../src/rules/parking.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const pauseAfter = (attempts: number) => countAttempt(attempts - 1, false).pauseMs;

/** How long an effect has failed when it has failed this often. */
const failedForMs = (attempts: number) =>
  Array.from({ length: attempts - 1 }, (_, at) => pauseAfter(at + 1)).reduce((sum, ms) => sum + ms, 0);

describe("the delay after a failed attempt", () => {
  it.each([
    [1, 500, false],
    [2, 1_000, false],
    [8, minuteMs, false],
    [19, minuteMs, false],
    [20, 5 * minuteMs, true],
    [304, 5 * minuteMs, true],
    [305, hourMs, true],
    [9_999, hourMs, true],
  ])("number %i is %i ms", (attempts, ms, parked) => {
    expect([pauseAfter(attempts), isParked(attempts)]).toEqual([ms, parked]);
  });

  it.each([
    [0, 1, 500],
    [7, 8, minuteMs],
    [11, 12, 5 * minuteMs],
    [12, 12, 5 * minuteMs],
    [400, 12, 5 * minuteMs],
  ])("of an effect that waits, with %i before, is the delay of number %i: %i ms", (before, attempts, pauseMs) => {
    expect(countAttempt(before, true)).toEqual({ attempts, pauseMs });
    expect(isParked(attempts)).toBe(false);
  });

  it("adds up to a quarter of an hour before an effect is parked, and to a day before the hourly ones", () => {
    expect(failedForMs(20) / minuteMs).toBeCloseTo(13, 0);
    expect(failedForMs(triesInFirstDay) / hourMs).toBeCloseTo(24, 0);
  });
});
