// Parking: an effect that failed for a quarter of an hour is listed for an operator. It is retried
// every five minutes, so that it succeeds soon after an outage, and hourly after a day.
import { type BackoffLimits, getBackoffMs } from "./backoff.ts";
import { longParkedPauseMs, parkedPauseMs, triesBeforeParking, triesInFirstDay, waitingTries } from "./limits.ts";

const pauses: BackoffLimits = { firstMs: 500, longestMs: 60_000 };

/** The kinds of objects whose effects can be parked. */
export const parkingObjects = ["session", "project", "cron", "cron-run", "sandbox"] as const;
export type ParkingObject = (typeof parkingObjects)[number];

/**
 * Thrown by an effect that waits for what others use, such as a sandbox of the workspace. It has
 * not failed, however long it waits.
 */
export class WaitingError extends Error {}

/** True for an effect that failed so often that it is parked. */
export function isParked(attempts: number): boolean {
  return attempts >= triesBeforeParking;
}

/** The attempts of an effect with one more, and the delay after it. Waiting never parks it. */
export function countAttempt(before: number, isWaiting: boolean): { attempts: number; pauseMs: number } {
  const attempts = isWaiting ? Math.min(before + 1, waitingTries) : before + 1;
  return { attempts, pauseMs: isWaiting && attempts === waitingTries ? parkedPauseMs : getParkingDelayMs(attempts) };
}

/** The delay after a failed attempt. `attempts` counts the failed ones, from 1. */
function getParkingDelayMs(attempts: number): number {
  if (!isParked(attempts)) return getBackoffMs(attempts, pauses);
  return attempts < triesInFirstDay ? parkedPauseMs : longParkedPauseMs;
}
