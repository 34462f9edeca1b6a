// The clock of a timezone: its offset, and the changes of the offset. An offset is how far local
// time is ahead of UTC, in milliseconds.
import { dayMs, minuteMs } from "./schedule.ts";

/** A stretch of time with one offset. It also ends at the end of a year. */
export interface Stretch {
  from: number;
  to: number;
  offset: number;
  /** The offset immediately before it. */
  before: number;
}

interface ClockChange {
  /** The first instant with the new offset. */
  at: number;
  offset: number;
}

/** No zone changes its clock twice within this time. */
const stepMs = 7 * dayMs;
/**
 * The size of the cache for all zones together. Checking one schedule needs about thirty years of
 * one zone.
 */
const yearsRemembered = 5_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const changesByYear = new Map<string, ClockChange[]>();

/** The offset of a zone at an instant. Throws for an unknown zone. */
export function getOffset(zone: string, instant: number): number {
  // "11/22/2026, 22:15:00"
  const text = getFormat(zone).format(instant);
  const part = (from: number, to: number) => Number(text.slice(from, to));
  const local = Date.UTC(part(6, 10), part(0, 2) - 1, part(3, 5), part(12, 14), part(15, 17), part(18, 20));
  return local - Math.floor(instant / 1_000) * 1_000;
}

/** The changes of a zone's clock within a UTC year, in order. */
export function listClockChanges(zone: string, year: number): readonly ClockChange[] {
  const key = `${year} ${zone}`;
  const known = changesByYear.get(key);
  if (known) return known;
  const changes = findChanges(zone, Date.UTC(year, 0, 1) - minuteMs, Date.UTC(year + 1, 0, 1) - minuteMs);
  if (changesByYear.size >= yearsRemembered) changesByYear.clear();
  changesByYear.set(key, changes);
  return changes;
}

/** The stretches of a zone from an instant on, without end. */
export function* listStretches(zone: string, start: number): Generator<Stretch, never> {
  let from = start;
  let offset = getOffset(zone, start);
  let before = offset;
  for (let year = new Date(start).getUTCFullYear(); ; year += 1) {
    for (const change of listClockChanges(zone, year)) {
      if (change.at < from) continue;
      yield { from, to: change.at, offset, before };
      before = offset;
      ({ at: from, offset } = change);
    }
    const to = Date.UTC(year + 1, 0, 1);
    yield { from, to, offset, before };
    from = to;
    before = offset;
  }
}

/** An instant in local time as text, such as `2026-11-22 09:30`. */
export function formatLocalTime(zone: string, instant: number): string {
  return new Date(instant + getOffset(zone, instant)).toISOString().slice(0, 16).replace("T", " ");
}

function findChanges(zone: string, start: number, end: number): ClockChange[] {
  const changes: ClockChange[] = [];
  let offset = getOffset(zone, start);
  for (let from = start; from < end; from += stepMs) {
    const to = Math.min(from + stepMs, end);
    const next = getOffset(zone, to);
    if (next === offset) continue;
    changes.push({ at: findChangeBetween(zone, from, to), offset: next });
    offset = next;
  }
  return changes;
}

/** The first minute, before `to`, whose offset differs from the one at `from`. */
function findChangeBetween(zone: string, from: number, to: number): number {
  const offset = getOffset(zone, from);
  let before = from;
  let after = to;
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / (2 * minuteMs)) * minuteMs;
    if (getOffset(zone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

function getFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  if (formats.size >= 1_000) formats.clear();
  formats.set(zone, format);
  return format;
}
