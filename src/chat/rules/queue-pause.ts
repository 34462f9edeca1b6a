// The pauses of Up next: what pauses it, and why (Part 1, "Up next").
import type { TurnEnd } from "./turn-end.ts";

export const pauseReasons = ["failed", "cancelled", "awaiting_response", "under_review"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface QueuePause {
  reason: PauseReason;
  pausedAt: number;
}

/** The pause after a turn has ended: every end but a completed one pauses. */
export function getPauseAfterEnd(before: QueuePause | null, end: TurnEnd["status"], now: number): QueuePause | null {
  return end === "completed" ? before : { reason: end, pausedAt: now };
}

/** The pause of a stop, which replaces any other. */
export function createStopPause(now: number): QueuePause {
  return { reason: "cancelled", pausedAt: now };
}

/** The pause of a review, in which no waiting message is sent. An earlier pause stays. */
export function getReviewPause(before: QueuePause | null, now: number): QueuePause {
  return before ?? { reason: "under_review", pausedAt: now };
}
