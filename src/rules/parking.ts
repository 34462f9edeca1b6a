// Parking: an effect that failed for a quarter of an hour is listed for an operator. It is retried
// every five minutes, so that it succeeds soon after an outage, and hourly after a day.
import { getBackoffMs, type PauseBounds } from "./backoff.ts";
import { longParkedPauseMs, parkedPauseMs, triesBeforeParking, triesInFirstDay } from "./limits.ts";

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
  if (!isParked(attempts)) return getBackoffMs(attempts, pauses);
  return attempts < triesInFirstDay ? parkedPauseMs : longParkedPauseMs;
}
