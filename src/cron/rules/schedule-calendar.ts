// The calendar of a schedule, in local time. A local time is counted in milliseconds as if it were UTC; `zone.ts` leads to instants.
import type { Schedule } from "./schedule.ts";

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The weekday of the first day of the epoch. */
const thursday = 4;

/** From one 29 February on a certain weekday to the next, over a year such as 2100. */
const longestWaitMonths = 41 * 12;

/** The first day of a schedule at or after a day; null if none comes. */
export function nextDay(schedule: Schedule, from: number): number | null {
  const start = new Date(from);
  const begin = start.getUTCFullYear() * 12 + start.getUTCMonth();
  // Counted, not asked of a date each time: a schedule of leap days passes hundreds of months.
  for (let month = begin; month < begin + longestWaitMonths; month += 1) {
    if (!schedule.months.has((month % 12) + 1)) continue;
    const first = Date.UTC(Math.floor(month / 12), month % 12, 1);
    const end = Date.UTC(Math.floor(month / 12), (month % 12) + 1, 1);
    for (let day = Math.max(first, from); day < end; day += dayMs) {
      if (matchesDay(schedule, { ofMonth: (day - first) / dayMs + 1, ofWeek: (day / dayMs + thursday) % 7 }))
        return day;
    }
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

function matchesDay({ daysOfMonth, daysOfWeek, isEitherDay }: Schedule, day: { ofMonth: number; ofWeek: number }) {
  const matches = [daysOfMonth.has(day.ofMonth), daysOfWeek.has(day.ofWeek)];
  return isEitherDay ? matches.some(Boolean) : matches.every(Boolean);
}
