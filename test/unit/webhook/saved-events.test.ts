// How often the sweep tries an event that cannot be sent.
import { expect, test } from "vitest";
import { findOldestTried } from "../../../src/webhook/rules/saved-events.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const hour = Date.UTC(2026, 10, 24, 9);

test.each([
  { minute: 0, oldestAgeMs: null },
  { minute: 1, oldestAgeMs: 15 * minuteMs },
  { minute: 5, oldestAgeMs: 24 * hourMs },
  { minute: 59, oldestAgeMs: 15 * minuteMs },
])("in minute $minute the sweep tries events up to an age of $oldestAgeMs ms", ({ minute, oldestAgeMs }) => {
  const now = hour + minute * minuteMs + 1_234;
  expect(findOldestTried(now)).toBe(oldestAgeMs === null ? null : now - oldestAgeMs);
});
