// How a stream learns that its reader has lost access. When a permission ends, the streams that
// depend on it are notified immediately. Regular checks in the database are the fallback.
import type { CallerKind } from "./permission-table.ts";

/** The interval of the fallback for streams that are notified. */
const seldomMs = 5 * 60_000;
/** The interval of a stream's heartbeat. */
const oftenMs = 15_000;

/**
 * True for a caller whose streams are ended when their key or membership ends. The end of an
 * agent's or a run's key is not notified.
 */
export function isEndReported(kind: CallerKind): boolean {
  switch (kind) {
    case "browser":
    case "api-key":
    case "relay":
    case "client":
      return true;
    case "agent":
    case "cron-run":
      return false;
  }
}

/**
 * The interval in milliseconds between checks of whether the reader still has access. `isWatched`
 * means that this stream is notified when access ends.
 */
export function getRevalidationMs(kind: CallerKind, isWatched: boolean): number {
  return isWatched && isEndReported(kind) ? seldomMs : oftenMs;
}
