// When a webhook that failed is tried again.
import { expect, test } from "vitest";
import { nextTryAt } from "../../src/rules/webhook.ts";

const second = 1_000;
const hour = 3_600 * second;

test.each([
  [1, 0, 1 * second],
  [2, 1 * second, 2 * second],
  [9, 10 * 60 * second, 256 * second],
  [10, 20 * 60 * second, 300 * second],
  [5_000, 71 * hour, 300 * second],
])("after %i tries, %i ms after it came, it waits %i ms", (attempts, now, pause) => {
  expect(nextTryAt({ receivedAt: 0, attempts }, now)).toBe(now + pause);
});

test("three days after it came it is given up", () => {
  expect(nextTryAt({ receivedAt: 5, attempts: 3 }, 5 + 72 * hour)).toBeNull();
  expect(nextTryAt({ receivedAt: 5, attempts: 3 }, 4 + 72 * hour)).not.toBeNull();
});
