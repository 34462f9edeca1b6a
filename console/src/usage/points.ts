// The days or months of a report, which its columns show.
import type { Days } from "./search.ts";

export type Interval = "day" | "month";

const dayMs = 86_400_000;
const daysMax = 92;

/** What the columns of a range are: days, or months where there would be too many days. */
export function findInterval({ from, to }: Days): Interval {
  return (Date.parse(to) - Date.parse(from)) / dayMs < daysMax ? "day" : "month";
}

/** The first, the middle and the last column, which have their day below them. */
export function findTicks(count: number): number[] {
  if (count < 3) return Array.from({ length: count }, (_, index) => index);
  return [0, ...(count > 6 ? [Math.floor((count - 1) / 2)] : []), count - 1];
}

/** A day or a month in words: `Nov 28`, `Nov 2026`. */
export function formatPoint(from: string, interval: Interval, timeZone: string): string {
  const parts =
    interval === "day" ? ({ month: "short", day: "numeric" } as const) : ({ month: "short", year: "numeric" } as const);
  return new Intl.DateTimeFormat("en", { ...parts, timeZone }).format(Date.parse(from));
}
