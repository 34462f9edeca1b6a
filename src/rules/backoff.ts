// The pauses between tries of something that failed: each is twice as long as the one before, up to
// a longest.

/** The bounds of the pauses, in milliseconds. */
export interface PauseBounds {
  firstMs: number;
  longestMs: number;
}

/** The pause behind a try, in milliseconds. `tries` are those that were made, from 1. */
export function growingPause(tries: number, { firstMs, longestMs }: PauseBounds): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}

// The pauses between the tries of a notice: they grow, and end with its hour.

const pauses = { firstMs: 2_000, longestMs: 5 * 60_000 };

/**
 * The time behind a try until the next one, in milliseconds. `tries` are those that were made, from
 * 1.
 */
export function pauseAfter(tries: number): number {
  return growingPause(tries, pauses);
}
