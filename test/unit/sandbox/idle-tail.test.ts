// How long an idle sandbox stays up: by what its past says about the next wake and message.
import { describe, expect, it } from "vitest";
import { awayHoldMs, idleBeforePauseMs, shortestTailMs } from "../../../src/rules/limits.ts";
import {
  getAwayHoldMs,
  getExpectedWakeMs,
  getTailMs,
  type Past,
  withGap,
  withWake,
} from "../../../src/sandbox/rules/idle-tail.ts";
import { now } from "../../support/session-state.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const all = (gapMs: number) => Array.from({ length: 8 }, () => gapMs);

it.each<[string, Past, number]>([
  ["was never saved", {}, 250],
  ["saves its work in 0.3 s, and was never woken", { saveMs: 300 }, 40],
  ["wakes in 0.3 s", { wakesMs: [300], saveMs: 200 }, 40],
  ["wakes in 0.3 s, and gets a message every 4 minutes", { wakesMs: [300], gapsMs: all(4 * minuteMs) }, 40],
  ["wakes in 0.3 s, and gets a message every minute", { wakesMs: [300], gapsMs: all(minuteMs) }, 40],
  ["wakes in 2 s", { wakesMs: [2_000] }, 40],
  ["wakes in 2 s, and gets a message every 2 minutes", { wakesMs: [2_000], gapsMs: all(2 * minuteMs) }, 160],
  ["wakes in 2 s, and gets a message every 2 hours", { wakesMs: [2_000], gapsMs: all(2 * hourMs) }, 40],
  ["wakes in 5 s", { wakesMs: [5_000] }, 250],
  ["wakes in 5 s, and gets a message every 2 hours", { wakesMs: [5_000], gapsMs: all(2 * hourMs) }, 40],
  ["wakes in 10 s", { wakesMs: [10_000] }, 430],
  ["wakes in 10 s, and gets a message every 9 minutes", { wakesMs: [10_000], gapsMs: all(9 * minuteMs) }, 550],
  ["wakes in 10 s, and gets a message every 9:55", { wakesMs: [10_000], gapsMs: all(595 * secondMs) }, 600],
  ["wakes in 10 s, and gets a message every 2 hours", { wakesMs: [10_000], gapsMs: all(2 * hourMs) }, 160],
  ["woke in 0.3 s before its saves took 10 s", { wakesMs: [300], saveMs: 10_000 }, 430],
  ["wakes in minutes", { wakesMs: [5 * minuteMs] }, 430],
])("one that %s stays up", (_, past, seconds) => {
  expect(getTailMs(past) / secondMs).toBe(seconds);
});

it("is never shorter or longer than its limits, whatever the past", () => {
  for (const wakeMs of [0, 1, 300, 3_000, 10_000, hourMs])
    for (const gapMs of [0, 1, secondMs, minuteMs, 9 * minuteMs, idleBeforePauseMs, hourMs, 30 * 24 * hourMs]) {
      const past = { wakesMs: [wakeMs], gapsMs: all(gapMs) };
      expect(getTailMs(past)).toBeGreaterThanOrEqual(shortestTailMs);
      expect(getTailMs(past)).toBeLessThanOrEqual(idleBeforePauseMs);
      expect(getAwayHoldMs(past, 0)).toBeLessThanOrEqual(awayHoldMs);
    }
});

it("a slower wake never shortens the tail", () => {
  for (const gapsMs of [[], all(minuteMs), all(5 * minuteMs), all(hourMs)]) {
    const tails = Array.from({ length: 40 }, (_, at) => getTailMs({ wakesMs: [at * 500], gapsMs }));
    expect(tails).toEqual(tails.toSorted((one, other) => one - other));
  }
});

it("awayHoldMs is the tail without a look, and as long as the machine keeps sandboxes", () => {
  expect(getAwayHoldMs({ wakesMs: [300] }, 0)).toBe(shortestTailMs);
  expect(getAwayHoldMs({ wakesMs: [5 * minuteMs] }, 0)).toBe(awayHoldMs);
  expect(getAwayHoldMs({ wakesMs: [300] }, hourMs)).toBe(hourMs);
});

describe("the expected wake", () => {
  it.each<[string, Past, number]>([
    ["nothing is known", {}, 5_000],
    ["it was only saved", { saveMs: 400 }, 1_400],
    ["it was only woken", { wakesMs: [1_000, 3_000] }, 2_000],
    ["it has grown since", { wakesMs: [1_000, 3_000], saveMs: 7_000 }, 7_000],
  ])("if %s", (_, past, ms) => {
    expect(getExpectedWakeMs(past)).toBe(ms);
  });
});

describe("the past", () => {
  it("counts the newest three wakes, from the request to the running program", () => {
    const wake = (past: Past, ms: number) => withWake({ ...past, wokenAt: now - ms }, true, now);
    expect([100, 200, 300, 400].reduce(wake, {})).toEqual({ wakesMs: [400, 300, 200] });
  });

  it.each<[string, Past, boolean]>([
    ["a first start, which restores nothing", { saveMs: 1, wokenAt: now - 100 }, false],
    ["a wake that an earlier version began", { saveMs: 1 }, true],
  ])("does not count %s", (_, past, isRestored) => {
    expect(withWake(past, isRestored, now)).toEqual({ saveMs: 1 });
  });

  it("counts the newest eight gaps, each once", () => {
    let past: Past = {};
    for (const ms of [1, 2, 3, 4, 5, 6, 7, 8, 9]) past = withGap({ ...past, restingSince: now - ms }, now);
    expect(past).toEqual({ gapsMs: [9, 8, 7, 6, 5, 4, 3, 2] });
    expect(withGap(past, now + hourMs)).toBe(past);
  });
});
