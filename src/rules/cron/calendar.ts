// The calendar of a schedule, in local time. A local time is counted in milliseconds as if it were UTC; `zone.ts` leads to instants.
import type { Schedule } from "./schedule.ts";

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The longest time between two days of a schedule: from one 29 February on a certain weekday to the next, over a year such as 2100. */
const longestWaitMs = 41 * 366 * dayMs;

/** The first day of a schedule at or after a day; null if none comes. */
export function nextDay(schedule: Schedule, from: number): number | null {
  for (let day = from; day < from + longestWaitMs; ) {
    const date = new Date(day);
    if (!schedule.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    if (matchesDay(schedule, date)) return day;
    day += dayMs;
  }
  return null;
}

/** The first local time of a schedule at or after another; null if none comes. */
export function nextLocalTime(schedule: Schedule, from: number): number | null {
  const today = Math.floor(from / dayMs) * dayMs;
  const day = nextDay(schedule, today);
  if (day === null) return null;
  const [first = 0] = schedule.times;
  if (day > today) return day + first * minuteMs;
  const minute = Math.ceil((from - today) / minuteMs);
  const time = schedule.times.find((time) => time >= minute);
  if (time !== undefined) return day + time * minuteMs;
  const later = nextDay(schedule, today + dayMs);
  return later === null ? null : later + first * minuteMs;
}

function matchesDay({ daysOfMonth, daysOfWeek, isEitherDay }: Schedule, date: Date): boolean {
  const matches = [daysOfMonth.has(date.getUTCDate()), daysOfWeek.has(date.getUTCDay())];
  return isEitherDay ? matches.some(Boolean) : matches.every(Boolean);
}
