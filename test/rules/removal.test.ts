import { expect, it } from "vitest";
import { lateArrivalMs, nextLook } from "../../src/rules/removal.ts";

const removal = { createdAt: 1_000 };

it("goes on at once while something is removed, and a little later while nothing is", () => {
  const busy = nextLook(removal, { found: 20, removed: 1 }, 2_000) ?? Number.POSITIVE_INFINITY;
  const stuck = nextLook(removal, { found: 20, removed: 0 }, 2_000) ?? 0;
  expect(busy).toBeLessThan(100);
  expect(stuck).toBeGreaterThanOrEqual(1_000);
  expect(stuck).toBeLessThan(10_000);
});

it("looks again when nothing can come any more, and is over then", () => {
  const nothing = { found: 0, removed: 0 };
  expect(nextLook(removal, nothing, 1_000 + lateArrivalMs - 5)).toBe(5);
  expect(nextLook(removal, nothing, 1_000 + lateArrivalMs)).toBeNull();
});
