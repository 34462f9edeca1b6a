// The floor of a schedule: two fires are never less than 15 minutes apart, in any year and across
// any clock change (Part 2, "Crons").
import { cronFloorMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { getNextFire } from "./next-fire.ts";
import { dayMs, findNextDay, minuteMs, type Schedule } from "./schedule.ts";
import { formatLocalTime, listClockChanges } from "./zone.ts";

/** Weekdays and leap days repeat after this many years. */
const yearsAhead = 28;
const floorMinutes = cronFloorMs / minuteMs;

/**
 * Refuses a schedule that breaks the floor within the next 28 years. The refusal names the two
 * local times that are too close.
 */
export function checkFloor(schedule: Schedule, zone: string, now: number): Refusal | null {
  const meeting = withinDay(schedule, now) ?? aroundMidnight(schedule, now) ?? atClockChange(schedule, zone, now);
  if (meeting === null) return null;
  return refuse(
    "BAD_REQUEST",
    `The schedule fires at ${meeting[0]} and again at ${meeting[1]} (${zone}). Leave at least ${floorMinutes} minutes between two fires.`,
  );
}

/** Two local times that are too close. */
type Meeting = [string, string];

function withinDay(schedule: Schedule, now: number): Meeting | null {
  const { times } = schedule;
  const place = times.findIndex((time, place) => time - (times[place - 1] ?? Number.NEGATIVE_INFINITY) < floorMinutes);
  const day = place === -1 ? null : findNextDay(schedule, toDay(now));
  return day === null ? null : [formatMinute(day, times[place - 1]), formatMinute(day, times[place])];
}

function aroundMidnight(schedule: Schedule, now: number): Meeting | null {
  const { times } = schedule;
  const [first = 0] = times;
  const last = times.at(-1) ?? 0;
  if (dayMs / minuteMs - last + first >= floorMinutes) return null;
  const start = toDay(now);
  const end = start + yearsAhead * 366 * dayMs;
  for (let day = findNextDay(schedule, start); day !== null && day < end; ) {
    const next = findNextDay(schedule, day + dayMs);
    if (next === day + dayMs) return [formatMinute(day, last), formatMinute(next, first)];
    day = next;
  }
  return null;
}

function atClockChange(schedule: Schedule, zone: string, now: number): Meeting | null {
  const year = new Date(now).getUTCFullYear();
  let upcoming = now;
  for (let ahead = 0; ahead <= yearsAhead; ahead += 1) {
    for (const { at } of listClockChanges(zone, year + ahead)) {
      const end = at + cronFloorMs;
      if (at < now || upcoming >= end) continue;
      upcoming = getNextFire(schedule, zone, at - cronFloorMs - 1);
      while (upcoming < end) {
        const last = upcoming;
        upcoming = getNextFire(schedule, zone, last);
        if (upcoming - last < cronFloorMs) return [formatLocalTime(zone, last), formatLocalTime(zone, upcoming)];
      }
    }
  }
  return null;
}

function toDay(now: number): number {
  return Math.floor(now / dayMs) * dayMs;
}

function formatMinute(day: number, time = 0): string {
  return new Date(day + time * minuteMs).toISOString().slice(0, 16).replace("T", " ");
}
