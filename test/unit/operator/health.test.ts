// The health of the service, by the figures that a probe reads.
import { expect, test } from "vitest";
import { type HealthFacts, toHealth } from "../../../src/operator/rules/health.ts";

const minute = 60_000;
const now = 1_000 * minute;
const well: HealthFacts = {
  sweeps: [
    { name: "crons", finishedAt: now - minute },
    { name: "activity", finishedAt: now - 3 * minute },
    { name: "creates", finishedAt: null },
  ],
  sandboxes: { running: 3, starting: 1 },
  oldestStartAt: now - minute,
  turns: { running: 2, failedLastHour: 1 },
  parkedEffects: 0,
};

test.each<[string, Partial<HealthFacts>, string[]]>([
  ["a service that works", {}, []],
  ["a service that has just been deployed", { sweeps: [{ name: "crons", finishedAt: null }], oldestStartAt: null }, []],
  [
    "sweeps that no longer finish",
    { sweeps: [30, 31, 90].map((minutes) => ({ name: `s${minutes}`, finishedAt: now - minutes * minute })) },
    ['The sweep "s90" last finished 90 minutes ago.', 'The sweep "s31" last finished 31 minutes ago.'],
  ],
  ["a start at its limit", { oldestStartAt: now - 20 * minute }, []],
  ["a start that hangs", { oldestStartAt: now - 21 * minute }, ["A sandbox has been starting for 21 minutes."]],
  ["parked work", { parkedEffects: 2 }, ["Parked effects: 2."]],
])("%s", (_, facts, problems) => {
  expect(toHealth({ ...well, ...facts }, now).problems).toEqual(problems);
});

test("the figures name the sweep that finished the longest time ago", () => {
  expect(toHealth(well, now)).toEqual({
    problems: [],
    sandboxes: { running: 3, starting: 1 },
    turns: { running: 2, failedLastHour: 1 },
    parkedEffects: 0,
    slowestSweep: { name: "activity", finishedMsAgo: 3 * minute },
    oldestStartMs: minute,
  });
});
