// The pauses of Up next: what pauses it, and why, and how it resumes (Part 1, "Up next").
import { type Decided, decided } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import type { ChatState } from "./chat.ts";
import { startQueuedTurn } from "./queue.ts";
import type { TurnEnd } from "./turn-end.ts";

export const pauseReasons = ["failed", "cancelled", "awaiting_response", "under_review"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface QueuePause {
  reason: PauseReason;
  pausedAt: number;
}

/** The pause after a turn has ended: every end but a completed one pauses. */
export function findPauseAfterEnd(before: QueuePause | null, end: TurnEnd["status"], now: number): QueuePause | null {
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

/**
 * Resumes a paused Up next, and sends its top message if no turn runs. Does nothing if Up next is
 * not paused.
 */
export function resumeQueue(
  chat: ChatState,
  command: { turnId: string; modelIfNone?: string | null },
  now: number,
): Decided<ChatState, null, ChatEffect> {
  // The first turn may not have found a model that can run, so the model is chosen again.
  const model = chat.model ?? command.modelIfNone ?? null;
  const resumed = startQueuedTurn({ ...chat, model, pause: null }, command.turnId, now);
  const state = resumed.state.turn === chat.turn ? { ...chat, pause: null } : resumed.state;
  return decided(state, null, [...resumed.effects, { type: "index-chat" }]);
}
