// The slots that a cron missed while the service did not run: the newest fires late, the others
// leave skipped runs (decisions, "More on crons").
import { missedSlotRowsMs, missedSlotRunsMs } from "../../rules/limits.ts";
import { getNextFire } from "./next-fire.ts";
import type { Schedule } from "./schedule.ts";

/** The slots that passed while nothing fired, as far as a cron still handles them. */
export interface MissedSlots {
  /** The newest missed slot, which fires late; null if it is too old. */
  toFire: number | null;
  /** The other missed slots, oldest first. Each leaves a skipped run. */
  toSkip: number[];
  /** The next slot in the future. */
  next: number;
}

/** Sorts the slots from a planned one until now. */
export function getMissedSlots(schedule: Schedule, zone: string, planned: number, now: number): MissedSlots {
  const passed: number[] = [];
  const start = Math.max(planned, now - missedSlotRowsMs);
  let slot = start === planned ? planned : getNextFire(schedule, zone, start - 1);
  for (; slot <= now; slot = getNextFire(schedule, zone, slot)) passed.push(slot);
  const newest = passed.at(-1) ?? null;
  const fires = newest !== null && now - newest <= missedSlotRunsMs;
  return { toFire: fires ? newest : null, toSkip: fires ? passed.slice(0, -1) : passed, next: slot };
}
