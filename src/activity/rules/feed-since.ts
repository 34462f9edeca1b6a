// The start of a feed, as a client names it: a span back from now, a date, or a time. Without a zone, dates and times are UTC.
import { activityWindowMs } from "../../rules/limits.ts";
import { timeOf } from "../../rules/moment.ts";

const unitMs = { h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;
const span = /^(\d{1,6})([hd])$/;

/** Milliseconds since 1970, never before the window of the feed; null for any other text. */
export function sinceOf(text: string, now: number): number | null {
  const at = spanStart(text, now) ?? timeOf(text);
  return at === null ? null : Math.max(at, now - activityWindowMs);
}

function spanStart(text: string, now: number): number | null {
  const [, count, unit] = span.exec(text) ?? [];
  return count === undefined ? null : now - Number(count) * unitMs[unit as keyof typeof unitMs];
}
