import { expect, it } from "vitest";
import { findNextPageMs, lateArrivalMs } from "../../../src/deletion/rules/deletion.ts";

const removal = { createdAt: 1_000 };

it("continues immediately while rows are being deleted, and after a delay if none are", () => {
  const busy = findNextPageMs(removal, { found: 20, deleted: 1 }, 2_000) ?? Number.POSITIVE_INFINITY;
  const stuck = findNextPageMs(removal, { found: 20, deleted: 0 }, 2_000) ?? 0;
  expect(busy).toBeLessThan(100);
  expect(stuck).toBeGreaterThanOrEqual(1_000);
  expect(stuck).toBeLessThan(10_000);
});

it("checks once more when no row can be added, and then ends", () => {
  const nothing = { found: 0, deleted: 0 };
  expect(findNextPageMs(removal, nothing, 1_000 + lateArrivalMs - 5)).toBe(5);
  expect(findNextPageMs(removal, nothing, 1_000 + lateArrivalMs)).toBeNull();
});
