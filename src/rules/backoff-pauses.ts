// The pauses between the tries of a notice: they grow, and end with its hour.

import { growingPause } from "./backoff.ts";

const pauses = { firstMs: 2_000, longestMs: 5 * 60_000 };

/** The time behind a try until the next one, in milliseconds. `tries` are those that were made, from 1. */
export function pauseAfter(tries: number): number {
  return growingPause(tries, pauses);
}
