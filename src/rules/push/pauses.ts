// The pauses between the tries of a notice: they grow, and end with its hour.

const firstMs = 2_000;
const longestMs = 5 * 60_000;

/** The time behind a try until the next one, in milliseconds. `tries` are those that were made, from 1. */
export function pauseAfter(tries: number): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}
