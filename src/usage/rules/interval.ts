// The days or months of a usage report, in the timezone of its workspace (decisions, "Usage").
import { getOffset } from "../../cron/rules/zone.ts";
import { usageIntervalsMax } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { UsageRange } from "./report.ts";

export const usageIntervals = ["day", "month"] as const;
export type UsageInterval = (typeof usageIntervals)[number];

const dayMs = 86_400_000;
/** No usage is older. */
const earliest = Date.UTC(2020, 0);

/**
 * When each interval of a range begins. The first one begins with the range. Refuses a range of too
 * many intervals.
 */
export function listIntervals({ from, to }: UsageRange, interval: UsageInterval, timezone: string): number[] | Refusal {
  const starts: number[] = [];
  for (let at = Math.max(from, earliest); at < to; at = findNextStart(at, interval, timezone)) {
    if (starts.length === usageIntervalsMax)
      return refuse("BAD_REQUEST", `A report has at most ${usageIntervalsMax} intervals. Choose a shorter time.`);
    starts.push(at);
  }
  return starts;
}

/** When the local day of a time began. */
export function getDayStart(at: number, timezone: string): number {
  const starts = listIntervals({ from: at - 2 * dayMs, to: at + 1 }, "day", timezone);
  return isRefusal(starts) ? at : (starts.at(-1) ?? at);
}

/** When the next local day or month begins. */
function findNextStart(at: number, interval: UsageInterval, timezone: string): number {
  const local = new Date(at + getOffset(timezone, at));
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const midnight = interval === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1);
  // The clocks may change between the day before and the day after. Where they skip midnight, only
  // the later of both is on the new day; where they show it twice, both are, and the first counts.
  const found = [-dayMs, dayMs]
    .map((away) => midnight - getOffset(timezone, midnight + away))
    .filter((start) => start > at && start + getOffset(timezone, start) >= midnight);
  return found.length > 0 ? Math.min(...found) : at + dayMs;
}
