// The schedule of a cron: five fields, as in a crontab (decisions, "Crons"). `next-fire.ts` says
// when it fires.
import { cronExpressionCharactersMax } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

export interface Schedule {
  /** The times of a day, in minutes since midnight, in order. */
  times: readonly number[];
  daysOfMonth: ReadonlySet<number>;
  /** From 1 for January. */
  months: ReadonlySet<number>;
  /** From 0 for Sunday. */
  daysOfWeek: ReadonlySet<number>;
  /** True if a day matches by either day field. Otherwise it must match by both. */
  isEitherDay: boolean;
  /**
   * True if the schedule follows the running clock: skipped local times do not fire, and repeated
   * ones fire each time.
   */
  followsClock: boolean;
}

interface Field {
  name: string;
  min: number;
  max: number;
  /** The names of its values, starting at `min`. */
  names?: readonly string[];
}

const fields = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of week", min: 0, max: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
] as const satisfies readonly Field[];

/** Parses a schedule. Refuses BAD_REQUEST for any other text, and for a date that never comes. */
export function readSchedule(text: string): Schedule | Refusal {
  if (text.length > cronExpressionCharactersMax) {
    return refuse("BAD_REQUEST", `A schedule has at most ${cronExpressionCharactersMax} characters.`);
  }
  const parts = text.split(/[ \t]+/).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    return refuse(
      "BAD_REQUEST",
      "A schedule has five fields: minute, hour, day of month, month and day of week, such as 0 9 * * 1-5.",
    );
  }
  const values = fields.map((field, place) => parseValues(field, parts[place] ?? ""));
  const wrong = values.find(isRefusal);
  if (wrong) return wrong;
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = values as [Values, Values, Values, Values, Values];
  const isOpen = (place: number) => parts[place]?.startsWith("*") === true;
  const schedule: Schedule = {
    times: [...hours].sort(byValue).flatMap((hour) => [...minutes].sort(byValue).map((minute) => hour * 60 + minute)),
    daysOfMonth,
    months,
    daysOfWeek: new Set([...daysOfWeek].map((day) => day % 7)),
    isEitherDay: !isOpen(2) && !isOpen(4),
    followsClock: isOpen(1),
  };
  if (findNextDay(schedule, 0) !== null) return schedule;
  return refuse(
    "BAD_REQUEST",
    `The date of this schedule never comes: ${parts.join(" ")}. Choose another day or month.`,
  );
}

type Values = Set<number>;

const byValue = (one: number, other: number) => one - other;

function parseValues(field: Field, text: string): Values | Refusal {
  const values: Values = new Set();
  for (const item of text.split(",")) {
    const range = parseRange(field, item);
    if (range === null) {
      const shown = item.length > 20 ? `${item.slice(0, 20)}…` : item;
      return refuse("BAD_REQUEST", `"${shown}" is not a valid ${field.name} of a schedule. ${explain(field)}`);
    }
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

/** Parses one item of a list: `*`, `a` or `a-b`, each with an optional step. */
function parseRange(field: Field, item: string): { from: number; to: number; step: number } | null {
  const [span = "", stepText, ...more] = item.split("/");
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (more.length > 0 || step === null || step < 1 || step > field.max) return null;
  if (span === "*") return { from: field.min, to: field.max, step };
  const [fromText = "", toText, ...others] = span.split("-");
  const from = valueNamed(field, fromText);
  if (others.length > 0 || from === null) return null;
  if (toText === undefined) return { from, to: stepText === undefined ? from : field.max, step };
  const to = valueNamed(field, toText);
  return to === null || to < from ? null : { from, to, step };
}

function valueNamed({ min, max, names = [] }: Field, text: string): number | null {
  const place = names.indexOf(text.toLowerCase());
  const value = place === -1 ? parseNumber(text) : min + place;
  return value !== null && value >= min && value <= max ? value : null;
}

function parseNumber(text: string): number | null {
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

function explain({ min, max, names }: Field): string {
  const named = names ? ` or names such as ${names[1]}` : "";
  return `Use numbers from ${min} to ${max}${named}, lists (1,3), ranges (1-5), steps (*/2) or *.`;
}

/**
 * The calendar of a schedule, in local time. A local time is counted in milliseconds as if it were
 * UTC; `zone.ts` converts between local times and instants.
 */
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The weekday of the first day of the epoch. */
const thursday = 4;

/**
 * The longest time from one 29 February on a given weekday to the next, across a year such as 2100.
 */
const longestWaitMonths = 41 * 12;

/** The first day of a schedule at or after a day; null if there is none. */
export function findNextDay(schedule: Schedule, from: number): number | null {
  const start = new Date(from);
  const begin = start.getUTCFullYear() * 12 + start.getUTCMonth();
  // The months are counted as numbers, because reading each one from a date would be slow: a
  // schedule of leap days passes hundreds of months.
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

/** The first local time of a schedule at or after another; null if there is none. */
export function findNextLocalTime(schedule: Schedule, from: number): number | null {
  const today = Math.floor(from / dayMs) * dayMs;
  const day = findNextDay(schedule, today);
  if (day === null) return null;
  const [first = 0] = schedule.times;
  if (day > today) return day + first * minuteMs;
  const minute = Math.ceil((from - today) / minuteMs);
  const time = schedule.times.find((time) => time >= minute);
  if (time !== undefined) return day + time * minuteMs;
  const later = findNextDay(schedule, today + dayMs);
  return later === null ? null : later + first * minuteMs;
}

function matchesDay({ daysOfMonth, daysOfWeek, isEitherDay }: Schedule, day: { ofMonth: number; ofWeek: number }) {
  const matches = [daysOfMonth.has(day.ofMonth), daysOfWeek.has(day.ofWeek)];
  return isEitherDay ? matches.some(Boolean) : matches.every(Boolean);
}
