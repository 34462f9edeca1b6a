// The stop of a turn by a member: Up next pauses, and the turn ends when its sandbox confirms the
// stop, or at a deadline.
import { decided } from "../../rules/decision.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { createStopPause } from "./queue-pause.ts";
import { isUnfinished } from "./turn.ts";
import { endTurn } from "./turn-end.ts";

/** The time that a sandbox has to confirm a stop. After it, the sandbox is discarded. */
export const stopSettleMs = 5_000;

/**
 * Stops a turn at a member's request (Part 1, "Job statuses"), and pauses Up next. A pending turn
 * ends immediately. A running turn ends when the sandbox confirms that its agent and processes are
 * gone, or at the deadline. Refuses BAD_REQUEST for an ended turn.
 */
export function cancelTurn(
  chat: ChatState,
  command: { turnId: string },
  now: number,
): ChatDecision<{ settled: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.id !== command.turnId) {
    return refuse("BAD_REQUEST", "This job has already ended, so there is nothing to cancel.");
  }
  const pause = createStopPause(now);
  if (turn.stopRequestedAt !== null) {
    // Up next was resumed during the stop. A second stop request pauses it again.
    if (chat.pause !== null) return decided(chat, { settled: false });
    return decided({ ...chat, pause }, { settled: false }, [{ type: "index-chat" }]);
  }
  const stopping: ChatState = { ...chat, turn: { ...turn, stopRequestedAt: now }, pause };
  if (turn.status === "pending") {
    const ended = endTurn(stopping, { turnId: turn.id, end: { status: "cancelled" } }, now);
    if (isRefusal(ended)) return ended;
    return decided(ended.state, { settled: true }, [...ended.effects, { type: "stop-turn", id: turn.id }]);
  }
  return decided(stopping, { settled: false }, [
    { type: "remind", name: "stop-overdue", at: now + stopSettleMs },
    { type: "stop-turn", id: turn.id },
    { type: "index-chat" },
  ]);
}

/** Ends a turn whose stop the sandbox has not confirmed in time, and discards that sandbox. */
export function stopOverdue(chat: ChatState, now: number): ChatDecision<{ ended: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.stopRequestedAt === null) return decided(chat, { ended: false });
  const ended = endTurn(chat, { turnId: turn.id, end: { status: "cancelled" } }, now);
  if (isRefusal(ended)) return ended;
  const discard = { type: "discard-sandbox" as const, id: turn.generation };
  return decided(ended.state, ended.result, [discard, ...ended.effects]);
}
