// The slots of a schedule: the instants at which it should fire (decisions, "Crons").
import { dayMs, findNextLocalTime, minuteMs, type Schedule } from "./schedule.ts";
import { listStretches } from "./zone.ts";

/** The first slot after an instant, in milliseconds since the epoch. */
export function getNextFire(schedule: Schedule, zone: string, after: number): number {
  const first = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const localAfter = rememberingNextLocalTime(schedule);
  // Starts a day earlier, because local times that the clock repeats may have fired already.
  for (const { from, to, offset, before } of listStretches(zone, first - dayMs)) {
    if (to <= first) continue;
    const isGap = from >= first && before < offset;
    if (isGap && !schedule.followsClock) {
      const skipped = localAfter(from + before);
      // All local times that the gap skips fire once, immediately after the gap.
      if (skipped !== null && skipped < from + offset) return from;
    }
    const begin = Math.max(first, from) + offset;
    const earliest = schedule.followsClock ? begin : Math.max(begin, from + before);
    const local = localAfter(earliest);
    if (local === null) break;
    if (local - offset < to) return local - offset;
  }
  throw new Error("a schedule without a date");
}

/**
 * Finds the next local time of a schedule. The result is reused while it is still ahead, because it
 * may be decades away.
 */
function rememberingNextLocalTime(schedule: Schedule): (from: number) => number | null {
  let asked = Number.POSITIVE_INFINITY;
  let next: number | null = null;
  return (from) => {
    if (from < asked || (next !== null && from > next)) {
      asked = from;
      next = findNextLocalTime(schedule, from);
    }
    return next;
  };
}

/**
 * The delay between a cron's slot and its fire, in milliseconds: 0 to 59 s. It is always the same
 * for one cron, so that crons with the same slot are spread.
 */
export function getSpreadMs(cronId: string): number {
  let hash = 0x811c9dc5;
  for (const character of cronId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return (hash % 60) * 1_000;
}
