// Days in a time zone: which day it is there, and when a day begins.

/** A day, such as `2026-01-31`. */
export type Day = string;

const dayMs = 86_400_000;

/** True for a day that the calendar has. */
export function isDay(text: unknown): text is Day {
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && formatDay(at) === text;
}

/** The UTC day of a time. */
const formatDay = (at: number): Day => new Date(at).toISOString().slice(0, 10);

const toTime = (day: Day): number => Date.parse(`${day}T00:00:00Z`);

export const addDays = (day: Day, days: number): Day => formatDay(toTime(day) + days * dayMs);

/** The first day of the month that is this many months after the month of a day. */
export function findMonthStart(day: Day, months = 0): Day {
  const date = new Date(toTime(day));
  return formatDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
}

/** The time zone, or UTC where this browser does not know it. */
export function findTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** What the clocks of a time zone show at a time, as if it were UTC. */
function readClock(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const read = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
}

/** The day that it is in a time zone at a time. */
export const findDay = (at: number, timeZone: string): Day => formatDay(readClock(at, timeZone));

/**
 * When a day begins in a time zone. Where the clocks skip midnight, that is the end of the gap;
 * where they show it twice, the first time.
 */
export function findDayStart(day: Day, timeZone: string): number {
  const midnight = toTime(day);
  const starts = [-dayMs, dayMs].map((away) => {
    const near = midnight + away;
    return midnight - (readClock(near, timeZone) - near);
  });
  const ofDay = starts.filter((at) => findDay(at, timeZone) === day);
  return Math.min(...(ofDay.length > 0 ? ofDay : starts));
}
