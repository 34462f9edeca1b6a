// How many pieces of output the running tools of a turn may send to its readers. A sandbox keeps to
// the limit itself. This protects the readers from one that does not.
import { turnOutputPiecesPerSecond } from "../../rules/limits.ts";

export interface OutputAllowance {
  /** The time that the pieces may still take. */
  leftMs: number;
  at: number;
}

const pieceMs = 1_000 / turnOutputPiecesPerSecond;
/** The pieces of a link that was interrupted for a few seconds arrive together. */
const longestMs = 4_000;

/** Counts a piece. Returns what is left, or null if the piece exceeds the limit. */
export function countPiece(before: OutputAllowance | undefined, now: number): OutputAllowance | null {
  const { leftMs, at } = before ?? { leftMs: longestMs, at: now };
  const allowedMs = Math.min(longestMs, leftMs + Math.max(0, now - at));
  return allowedMs < pieceMs ? null : { leftMs: allowedMs - pieceMs, at: now };
}
