import { describe, expect, it } from "vitest";
import { isParked, pauseAfter } from "../../../src/rules/parking.ts";

const dayMs = 86_400_000;

describe("the delay after a failed attempt", () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [8, 60_000],
    [1_439, 60_000],
    [1_440, dayMs],
    [1_500, dayMs],
  ])("number %i is %i ms", (attempts, ms) => {
    expect(pauseAfter(attempts)).toBe(ms);
    expect(isParked(attempts)).toBe(ms === dayMs);
  });

  it("adds up to a day before an effect is parked", () => {
    let sum = 0;
    for (let attempts = 1; !isParked(attempts); attempts++) sum += pauseAfter(attempts);
    expect(sum / dayMs).toBeCloseTo(1, 1);
  });
});
