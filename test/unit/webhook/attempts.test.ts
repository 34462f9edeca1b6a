// When deliveries are tried, and when a webhook is disabled (decisions, "Webhooks").
import { describe, expect, test } from "vitest";
import {
  type Attempt,
  attemptPausesMs,
  findDisabledReason,
  findHoldUntil,
  findNextAttemptAt,
  isDelivered,
  readRetryAfter,
} from "../../../src/webhook/rules/attempts.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const now = Date.parse("2026-11-24T09:00:00Z");
const failed = (changes: Partial<Attempt> = {}): Attempt => ({
  ...{ at: now, milliseconds: 5, status: 500, error: "HTTP 500", answer: null, retryAfterMs: null },
  ...changes,
});

describe("the pauses", () => {
  const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

  test("are ten attempts in 75.6 hours", () => {
    expect(attemptPausesMs).toEqual([0, ...pauses]);
    expect(attemptPausesMs.reduce((sum, pause) => sum + pause) / hour).toBeCloseTo(75.6, 1);
  });

  test.each(pauses.map((pause, place) => [place + 1, pause] as const))("after attempt %i: %i ms", (attempts, pause) => {
    const at = (random: number) => findNextAttemptAt(attempts, failed(), { now, random });
    expect(at(0.5)).toBe(now + pause);
    expect(at(0)).toBe(now + pause * 0.9);
    expect(at(1)).toBe(Math.round(now + pause * 1.1));
  });

  test("end after the tenth attempt", () => {
    expect(findNextAttemptAt(10, failed(), { now, random: 0.5 })).toBeNull();
  });

  test.each([
    [1, 60 * second, 60 * second],
    [1, second, 5 * second],
    [1, 24 * hour, 5 * minute],
    [9, 100 * hour, 24 * hour],
  ])("after attempt %i with Retry-After %i ms: %i ms", (attempts, retryAfterMs, pause) => {
    expect(findNextAttemptAt(attempts, failed({ retryAfterMs }), { now, random: 0.5 })).toBe(now + pause);
  });
});

test.each([
  [200, true],
  [204, true],
  [299, true],
  [199, false],
  [301, false],
  [302, false],
  [400, false],
  [410, false],
  [500, false],
  [null, false],
])("an answer of %s: delivered %s", (status, isDone) => {
  expect(isDelivered({ status })).toBe(isDone);
});

test.each([
  [429, null, 5 * second],
  [502, null, 5 * second],
  [504, 60 * second, 60 * second],
  [429, 100 * hour, 30 * minute],
  [429, 1, 5 * second],
  [500, 60 * second, null],
  [503, null, null],
  [null, null, null],
])("an answer of %s with Retry-After %s holds the webhook for %s ms", (status, retryAfterMs, held) => {
  expect(findHoldUntil(failed({ status, retryAfterMs }), now)).toBe(held === null ? null : now + held);
});

test.each([
  [410, false, true, "gone"],
  [410, false, false, "gone"],
  [500, true, false, "failing"],
  [null, true, false, "failing"],
  [500, true, true, null],
  [500, false, false, null],
] as const)("status %s, last %s, a success since %s: disabled %s", (status, isLast, succeededSince, reason) => {
  expect(findDisabledReason({ status }, { isLast, succeededSince })).toBe(reason);
});

test.each([
  ["120", 120 * second],
  ["0", 0],
  ["9999999999", 9_999_999_999 * second],
  ["Tue, 24 Nov 2026 09:02:00 GMT", 120 * second],
  ["Tue, 24 Nov 2026 08:00:00 GMT", 0],
  ["-5", null],
  ["soon", null],
  ["9".repeat(50), null],
  [null, null],
])("Retry-After %s: %s ms", (text, ms) => {
  const read = readRetryAfter(text, now);
  // Some engines read "-5" as a year.
  if (text === "-5") expect(read === null || read === 0).toBe(true);
  else expect(read).toBe(ms);
});
