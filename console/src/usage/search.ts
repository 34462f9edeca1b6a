// What the page of usage shows, as the address has it, and the days and times that it means.
import type { Schemas } from "@switchyard/client";
import { addDays, type Day, findDayStart, findMonthStart, isDay } from "./days.ts";

export type Grouping = Schemas["UsageGrouping"];
export type Measure = "cost" | "tokens";

export const rangeWords = {
  month: "This month",
  "last-month": "Last month",
  "7-days": "Last 7 days",
  "30-days": "Last 30 days",
} as const;
export type RangeName = keyof typeof rangeWords;

export const groupingWords: Record<Grouping, string> = {
  project: "By project",
  member: "By member",
  model: "By model",
  session: "By session",
  cron: "By cron",
};

export interface UsageSearch {
  /** Where it is not this month. */
  range?: RangeName;
  /** Days of the person's own choice, both included. They count before `range`. */
  from?: Day;
  to?: Day;
  /** Where it is not by project. */
  by?: Grouping;
  /** What the bars are, where the person chose it. */
  show?: Measure;
}

const isOf = <Key extends string>(words: Record<Key, string>, value: unknown): value is Key =>
  typeof value === "string" && Object.hasOwn(words, value);

/** Reads the choices of an address. What is no choice is left out. */
export function readUsageSearch({ range, from, to, by, show }: Record<string, unknown>): UsageSearch {
  const days = isDay(from) && isDay(to) ? [from, to].toSorted() : [];
  return {
    ...(days.length > 0 ? { from: days[0] as Day, to: days[1] as Day } : {}),
    ...(days.length === 0 && isOf(rangeWords, range) && range !== "month" ? { range } : {}),
    ...(isOf(groupingWords, by) && by !== "project" ? { by } : {}),
    ...(show === "cost" || show === "tokens" ? { show } : {}),
  };
}

/** Both days are included. */
export interface Days {
  from: Day;
  to: Day;
}

/** The days that an address means, where today is this day. */
export function findDays({ range, from, to }: UsageSearch, today: Day): Days {
  if (from !== undefined && to !== undefined) return { from, to };
  switch (range) {
    case "last-month":
      return { from: findMonthStart(today, -1), to: addDays(findMonthStart(today), -1) };
    case "7-days":
      return { from: addDays(today, -6), to: today };
    case "30-days":
      return { from: addDays(today, -29), to: today };
    default:
      return { from: findMonthStart(today), to: today };
  }
}

/** Days as the service takes them: from the start of the first until the end of the last. */
export const toTimes = ({ from, to }: Days, timeZone: string) => ({
  from: new Date(findDayStart(from, timeZone)).toISOString(),
  to: new Date(findDayStart(addDays(to, 1), timeZone)).toISOString(),
});

const dayWords = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** Days in words, such as `Nov 1 – 28, 2026`. */
export const formatDays = ({ from, to }: Days): string =>
  dayWords.formatRange(Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`));
