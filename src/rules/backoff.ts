// The delays between attempts at something that failed: each is twice as long as the one before, up
// to a maximum.

/** The bounds of the delays, in milliseconds. */
export interface PauseBounds {
  firstMs: number;
  longestMs: number;
}

/** The delay after an attempt, in milliseconds. `tries` counts the attempts so far, from 1. */
export function getBackoffMs(tries: number, { firstMs, longestMs }: PauseBounds): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}

/** The delays after each of so many attempts, in milliseconds. */
export function listBackoffMs(attempts: number, bounds: PauseBounds): number[] {
  return Array.from({ length: attempts }, (_, at) => getBackoffMs(at + 1, bounds));
}

const pauses = { firstMs: 2_000, longestMs: 5 * 60_000 };

/**
 * The delay after an attempt to send a notification, in milliseconds. `tries` counts the attempts
 * so far, from 1. Delays grow, and the attempts end after an hour.
 */
export function pauseAfter(tries: number): number {
  return getBackoffMs(tries, pauses);
}
