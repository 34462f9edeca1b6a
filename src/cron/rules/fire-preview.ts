// When a schedule that nobody has saved yet would fire (decisions, "Crons").
import { isRefusal } from "../../rules/refusal.ts";
import { getNextFire } from "./next-fire.ts";
import { readSchedule } from "./schedule.ts";
import { checkFloor } from "./shortest-interval.ts";

export interface FirePreview {
  /** The next slots, in milliseconds since the epoch; none for a text that is no schedule. */
  fires: number[];
  /** Why a cron with this schedule would be refused; null if it would not. */
  problem: string | null;
}

interface Asked {
  expression: string;
  zone: string;
  /** How many fires are wanted. */
  count: number;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Computes the next fires of a schedule. One that fires too often has its fires and a problem, so
 * that a person sees both.
 */
export function findNextFires({ expression, zone, count, now }: Asked): FirePreview {
  const schedule = readSchedule(expression);
  if (isRefusal(schedule)) return { fires: [], problem: schedule.message };
  const fires: number[] = [];
  for (let after = now; fires.length < count; after = fires.at(-1) ?? now)
    fires.push(getNextFire(schedule, zone, after));
  return { fires, problem: checkFloor(schedule, zone, now)?.message ?? null };
}
