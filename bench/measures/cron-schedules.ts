// The schedules of crons: the check for a create or a change, over 28 years of a zone, and the next
// fire.
import { checkSchedule, getSchedule } from "../../src/cron/rules/cron.ts";
import { getNextFire } from "../../src/cron/rules/next-fire.ts";
import { type Finding, toTimedFinding } from "../lib/result.ts";
import { median, type Samples } from "../lib/samples.ts";

const warmCheckBarMs = 10;
const newZoneBarMs = 100;
const nextFireBarMs = 0.3;

/**
 * Schedules with few and with many fires, and with rare dates; the last one fires every 28 years.
 */
const expressions = [
  "0 3 * * 1-5",
  "*/15 * * * *",
  "7,22,37,52 */2 * * *",
  "59 23 28-31 * *",
  "0 0 29 2 *",
  "0 0 29 2 */7",
];
/** A zone with clock changes, one whose clock changes by half an hour, and one without. */
const zones = ["America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];
const newZones = 150;
const samplesEach = 15;
const firesPerSample = 20;

/** Measures the code of the Worker in this process, and reports the slowest schedule. */
export function measureCronSchedules(): Finding[] {
  const now = Date.now();
  const all = zones.flatMap((zone) => expressions.map((cronExpression) => ({ zone, cronExpression })));
  const check = ({ cronExpression, zone }: (typeof all)[number]) => {
    const refusal = checkSchedule(cronExpression, zone, now);
    if (refusal) throw new Error(refusal.message);
  };
  // Code that has not run yet is slow, in any zone.
  for (const { cronExpression } of all) check({ cronExpression, zone: "UTC" });
  const first = Intl.supportedValuesOf("timeZone")
    .slice(0, newZones)
    .map((zone) => measureMs(() => check({ cronExpression: "0 3 * * 1-5", zone })));
  const checks = all.map((one) => Array.from({ length: samplesEach }, () => measureMs(() => check(one))));
  const fires = all.map((one) => Array.from({ length: samplesEach }, () => fire(one, now)));
  return [
    toTimedFinding("check of a schedule, the slowest of all", slowest(checks), warmCheckBarMs),
    toTimedFinding("check of a schedule in a new zone", first, newZoneBarMs),
    toTimedFinding("next fire of a schedule, the slowest of all", slowest(fires), nextFireBarMs),
  ];
}

function fire({ cronExpression, zone }: { cronExpression: string; zone: string }, now: number): number {
  const schedule = getSchedule({ cronExpression });
  let at = now;
  const ms = measureMs(() => {
    for (let fired = 0; fired < firesPerSample; fired++) at = getNextFire(schedule, zone, at);
  });
  return ms / firesPerSample;
}

function slowest(all: Samples[]): Samples {
  return all.reduce((one, other) => (median(other) > median(one) ? other : one));
}

function measureMs(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
