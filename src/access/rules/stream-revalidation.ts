// How a stream learns that its reader may read no more. Where a permission ends, the streams it
// opened are told at once; asking the database is the net below that.
import type { CallerKind } from "./permission.ts";

/** Finds within this time what nobody told. */
const seldomMs = 5 * 60_000;
/** As often as a stream's heartbeat. */
const oftenMs = 15_000;

/**
 * True for a caller whose streams are ended when their key or membership ends. The key of an agent
 * or a run ends without a word.
 */
export function isEndTold(kind: CallerKind): boolean {
  switch (kind) {
    case "browser":
    case "api-key":
    case "relay":
      return true;
    case "agent":
    case "cron-run":
      return false;
  }
}

/**
 * The milliseconds between two questions whether the reader may still read. `isWatched`: their end
 * will be told to this very stream.
 */
export function askAgainMs(kind: CallerKind, isWatched: boolean): number {
  return isWatched && isEndTold(kind) ? seldomMs : oftenMs;
}
