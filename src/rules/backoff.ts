// The delays between attempts at something that failed: each is twice as long as the one before, up
// to a maximum.

/** The limits of the delays, in milliseconds. */
export interface BackoffLimits {
  firstMs: number;
  longestMs: number;
}

/** The delay after an attempt, in milliseconds. `tries` counts the attempts so far, from 1. */
export function getBackoffMs(tries: number, { firstMs, longestMs }: BackoffLimits): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}

/** The delays after each of so many attempts, in milliseconds. */
export function listBackoffMs(attempts: number, limits: BackoffLimits): number[] {
  return Array.from({ length: attempts }, (_, at) => getBackoffMs(at + 1, limits));
}
