import { describe, expect, it } from "vitest";
import { getNextFire, getSpreadMs } from "../../../src/cron/rules/next-fire.ts";
import { readSchedule, type Schedule } from "../../../src/cron/rules/schedule.ts";
import { formatLocalTime, getOffset, listClockChanges } from "../../../src/cron/rules/zone.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

function schedule(text: string): Schedule {
  const read = readSchedule(text);
  if (isRefusal(read)) throw new Error(read.message);
  return read;
}

/** The local times of the slots between two instants. */
function fires(text: string, zone: string, from: string, to: string): string[] {
  const found: string[] = [];
  const end = Date.parse(to);
  for (
    let at = getNextFire(schedule(text), zone, Date.parse(from));
    at < end;
    at = getNextFire(schedule(text), zone, at)
  ) {
    found.push(`${new Date(at).toISOString().slice(11, 16)} = ${formatLocalTime(zone, at).slice(11)}`);
  }
  return found;
}

describe("around a clock change", () => {
  const forward = ["America/New_York", "2027-03-14T00:00Z", "2027-03-15T00:00Z"] as const;
  const back = ["America/New_York", "2027-11-07T00:00Z", "2027-11-08T00:00Z"] as const;
  it.each([
    ["skipped times of one gap fire once, behind it", "0,30 2 * * *", forward, ["07:00 = 03:00"]],
    ["a time right behind the gap is not doubled", "30 2,3 * * *", forward, ["07:00 = 03:00", "07:30 = 03:30"]],
    ["the first time behind the gap fires once", "0 2,3 * * *", forward, ["07:00 = 03:00"]],
    ["a repeated time fires at its first occurrence", "0,30 1 * * *", back, ["05:00 = 01:00", "05:30 = 01:30"]],
    [
      "the clock followed: repeated times fire each time",
      "30 */1 * * *",
      [back[0], "2027-11-07T05:00Z", "2027-11-07T08:00Z"],
      ["05:30 = 01:30", "06:30 = 01:30", "07:30 = 02:30"],
    ],
    [
      "the clock followed: skipped times do not fire",
      "30 * * * *",
      [forward[0], "2027-03-14T06:00Z", "2027-03-14T08:00Z"],
      ["06:30 = 01:30", "07:30 = 03:30"],
    ],
    [
      "a change by half an hour",
      "15 2 * * *",
      ["Australia/Lord_Howe", "2027-10-02T00:00Z", "2027-10-03T00:00Z"],
      ["15:30 = 02:30"],
    ],
  ] as const)("%s: %s", (_, text, [zone, from, to], expected) => {
    expect(fires(text, zone, from, to)).toEqual(expected);
  });

  const zones = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "America/St_Johns"];
  const texts = ["0,30 2 * * *", "15 1,2,3 * * *", "*/20 * * * *", "50 0-23/3 * * *", "0 0 * * *", "45 */2 * * *"];
  it.each(zones)("agrees with a walk through every minute: %s", (zone) => {
    const changes = [2027, 2028].flatMap((year) => listClockChanges(zone, year));
    expect(changes.length).toBeGreaterThan(3);
    for (const { at } of changes) {
      for (const text of texts) {
        const expected = walked(text, zone, at - day, at + day);
        const found: number[] = [];
        let slot = getNextFire(schedule(text), zone, at - day - 1);
        for (; slot < at + day; slot = getNextFire(schedule(text), zone, slot)) found.push(slot);
        expect({ text, at, found }).toEqual({ text, at, found: expected });
      }
    }
  });

  /**
   * The slots between two instants, found minute by minute, without knowledge of the clock changes.
   */
  function walked(text: string, zone: string, start: number, end: number): number[] {
    const { times, followsClock } = schedule(text);
    const isDue = (local: number) => times.includes((local % day) / minute);
    const found: number[] = [];
    // From a few hours before, to know which local times have already occurred.
    let latest = start - 4 * hour + getOffset(zone, start - 4 * hour) - minute;
    for (let at = start - 4 * hour; at < end; at += minute) {
      const local = at + getOffset(zone, at);
      const skipped: number[] = [];
      for (let time = latest + minute; time < local; time += minute) skipped.push(time);
      const fires = followsClock ? isDue(local) : (local > latest && isDue(local)) || skipped.some(isDue);
      if (fires && at >= start) found.push(at);
      latest = Math.max(latest, local);
    }
    return found;
  }
});

it("a daily schedule fires once each local day, in every zone, for two years", () => {
  const daily = schedule("30 2 * * *");
  const start = Date.UTC(2027, 0, 1);
  for (const zone of differentZones([2026, 2027, 2028])) {
    let at = getNextFire(daily, zone, start);
    const first = localDay(zone, at);
    for (let days = 1; days <= 730; days += 1) {
      at = getNextFire(daily, zone, at);
      if (localDay(zone, at) !== first + days) expect({ zone, days, at: formatLocalTime(zone, at) }).toBeNull();
    }
  }
});

/** All zones; only the first of those with identical clocks. */
function differentZones(years: number[]): Iterable<string> {
  const byClock = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf("timeZone").reverse()) {
    const changes = years.map((year) => listClockChanges(zone, year));
    byClock.set(JSON.stringify([getOffset(zone, Date.UTC(2027, 0, 1)), changes]), zone);
  }
  expect(byClock.size).toBeGreaterThan(50);
  return byClock.values();
}

function localDay(zone: string, at: number): number {
  return Math.floor((at + getOffset(zone, at)) / day);
}

it("fires spread over 0 to 59 seconds, always the same for one cron", () => {
  const ids = Array.from({ length: 1_000 }, (_, place) => `0193${place}-7000-8000`);
  const seconds = ids.map((id) => getSpreadMs(id) / 1_000);
  expect(seconds.every((second) => Number.isInteger(second) && second >= 0 && second <= 59)).toBe(true);
  expect(new Set(seconds).size).toBe(60);
  expect(ids.map((id) => getSpreadMs(id) / 1_000)).toEqual(seconds);
});
