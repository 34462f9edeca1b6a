// The end of a turn: by its agent, by a member's stop, or by the service. A turn ends exactly once;
// the first end counts. Steers that were not taken return to Up next (`returnSteers` in
// `steer.ts`). The chat's owner decides whether Up next continues.

import { decided } from "../../rules/decision.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { findPauseAfterEnd } from "./queue-pause.ts";
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
  const pause = wasStopped ? chat.pause : findPauseAfterEnd(chat.pause, end.status, now);
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
