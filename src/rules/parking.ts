// Parking: an effect that failed for a day is saved, and retried only once a day. An operator sees
// it, and may have it retried.
import { growingPause, type PauseBounds } from "./backoff.ts";
import { parkedPauseMs, triesBeforeParking } from "./limits.ts";

const pauses: PauseBounds = { firstMs: 500, longestMs: 60_000 };

/** The kinds of objects whose effects can be parked. */
export const parkingObjects = ["session", "project", "cron", "cron-run", "sandbox"] as const;
export type ParkingObject = (typeof parkingObjects)[number];

/** True for an effect that failed so often that it is parked. */
export function isParked(attempts: number): boolean {
  return attempts >= triesBeforeParking;
}

/** The delay after a failed attempt. `attempts` counts the failed ones, from 1. */
export function pauseAfter(attempts: number): number {
  return isParked(attempts) ? parkedPauseMs : growingPause(attempts, pauses);
}
