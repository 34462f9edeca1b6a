// The end of a turn: by its agent, by a member's stop, or by the service. A turn ends exactly once;
// the first end counts. Steers that were not taken return to Up next (`returnSteers` in
// `steer.ts`). The chat's owner decides whether Up next continues.

import { findProvider } from "../../model/rules/model.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { decided } from "../../rules/decision.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { createStopPause, getPauseAfterEnd } from "./queue-pause.ts";
import { returnSteers } from "./steer.ts";
import { isUnfinished, type Turn } from "./turn.ts";

/** The outcome of a turn, reported by the sandbox or set by the service. */
export type TurnEnd =
  | { status: "completed" | "awaiting_response" | "cancelled" }
  | { status: "failed"; error: string; errorCode: string | null };

/** The unfinished turn with this id; null if that turn has ended or another one is the newest. */
export function findTurnToEnd({ turn }: Pick<ChatState, "turn">, turnId: string): Turn | null {
  return isUnfinished(turn) && turn.id === turnId ? turn : null;
}

/**
 * The outcome of a turn. A requested stop takes precedence over the agent's outcome. A turn that
 * was to submit a result fails without one.
 */
export function getTurnEnd(turn: Turn, end: TurnEnd): TurnEnd {
  if (turn.stopRequestedAt !== null) return { status: "cancelled" };
  const isMissing = end.status === "completed" && turn.resultSchema !== null && turn.result === null;
  return isMissing ? { status: "failed", error: missingResult, errorCode: "result_missing" } : end;
}

const missingResult =
  "The agent ended without the result that the message asked for, although it was asked for it again.";

/** Ends a turn once. A failure, a clarification or a stop pauses Up next (Part 1, "Up next"). */
export function endTurn(
  chat: ChatState,
  event: { turnId: string; end: TurnEnd },
  now: number,
): ChatDecision<{ ended: boolean }> {
  const turn = findTurnToEnd(chat, event.turnId);
  if (turn === null) return decided(chat, { ended: false });
  const end = getTurnEnd(turn, event.end);
  const failure = end.status === "failed" ? end : { error: null, errorCode: null };
  const ended: Turn = {
    ...turn,
    status: end.status,
    error: failure.error,
    errorCode: failure.errorCode,
    completedAt: now,
  };
  // The stop request has already paused Up next. If Up next was resumed since, it continues after
  // the stop.
  const wasStopped = turn.stopRequestedAt !== null;
  const pause = wasStopped ? chat.pause : getPauseAfterEnd(chat.pause, end.status, now);
  return decided(returnSteers({ ...chat, turn: ended, endedTurn: ended, pause }), { ended: true }, [
    { type: "forget", name: "watch-turn" },
    { type: "forget", name: "stop-overdue" },
    { type: "forget", name: "tell-usage" },
    { type: "release-sandbox", id: turn.id },
    { type: "revoke-agent", id: turn.id },
    { type: "index-turn", id: turn.id },
    ...(turn.usage === null ? [] : [{ type: "index-usage" as const, id: turn.id }]),
    { type: "index-chat" },
  ]);
}

/** A subscription that its user has disconnected. */
export interface Disconnection {
  userId: string;
  provider: ProviderId;
  /** The error of a turn that ends because of it. */
  error: string;
}

/**
 * Ends the turn if that subscription pays for it. Turns of other payers and providers are not
 * affected.
 */
export function endDisconnected(chat: ChatState, gone: Disconnection, now: number): ChatDecision<{ ended: boolean }> {
  const { turn } = chat;
  const isPaidByIt =
    turn?.payer?.type === "member" && turn.payer.userId === gone.userId && findProvider(turn.model) === gone.provider;
  if (!isUnfinished(turn) || !isPaidByIt) return decided(chat, { ended: false });
  const end = { status: "failed", error: gone.error, errorCode: "subscription_disconnected" } as const;
  const ended = endTurn(chat, { turnId: turn.id, end }, now);
  if (isRefusal(ended)) return ended;
  return decided(ended.state, ended.answer, [{ type: "stop-turn", id: turn.id }, ...ended.effects]);
}

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
  return decided(ended.state, ended.answer, [discard, ...ended.effects]);
}
