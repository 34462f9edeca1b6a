// The end of a session's turn: its result is checked against the pull request that it was to open
// or ship, the session changes status accordingly, and then Up next continues.

import type { ChatDecision } from "../../chat/rules/chat.ts";
import { startQueuedTurn } from "../../chat/rules/queue.ts";
import { getReviewPause } from "../../chat/rules/queue-pause.ts";
import type { Turn } from "../../chat/rules/turn.ts";
import { endTurn as endChatTurn, findTurnToEnd, getTurnEnd, type TurnEnd } from "../../chat/rules/turn-end.ts";
import { type Disconnection, endDisconnected as endChatDisconnected } from "../../chat/rules/turn-payer.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { endAutomaticTurn, withAutomaticLast, withReviewOf } from "./automatic.ts";
import { fromChatDecision } from "./chat-decision.ts";
import { findEndByPullRequest } from "./pull-request/code-host-event.ts";
import { endOpenPr, type OpenPrEnd } from "./pull-request/open-task.ts";
import { isLeavingForReview } from "./pull-request/ship.ts";
import type { Session, SessionState } from "./session.ts";

/** Ends the turn with its agent's outcome, or with one that the service sets. */
export function endTurn(
  state: SessionState,
  event: { turnId: string; end: TurnEnd; nextTurnId: string },
  now: number,
): Decision<SessionState, { ended: boolean }, SessionEffect> {
  const { turnId, nextTurnId } = event;
  const turn = findTurnToEnd(state.chat, turnId);
  if (turn === null) return decided(state, { ended: false });
  const { session, isReady, end } = endPullRequestTask(state.session, turn, getTurnEnd(turn, event.end));
  return applyTurnDecision(
    { ...state, session },
    endChatTurn(state.chat, { turnId, end }, now),
    { nextTurnId, isReady },
    now,
  );
}

/**
 * Ends the turn if a disconnected subscription pays for it, and releases its sandbox (Part 2,
 * "Subscriptions").
 */
export function endDisconnected(
  state: SessionState,
  { gone, nextTurnId }: { gone: Disconnection; nextTurnId: string },
  now: number,
): Decision<SessionState, { ended: boolean }, SessionEffect> {
  const settled = applyTurnDecision(state, endChatDisconnected(state.chat, gone, now), { nextTurnId }, now);
  if (isRefusal(settled) || !settled.result.ended) return settled;
  return { ...settled, effects: [...settled.effects, { type: "stop-sandbox" }] };
}

/**
 * Ends the pull request task of a turn that ended by itself. A turn that could not open its pull
 * request fails.
 */
function endPullRequestTask(session: Session, turn: Turn, end: TurnEnd): OpenPrEnd & { end: TurnEnd } {
  if (end.status !== "completed" && end.status !== "awaiting_response") {
    return { session, isReady: false, failure: null, end };
  }
  const opening = endOpenPr(session, turn.id, end.status === "awaiting_response");
  if (opening.failure === null) return { ...opening, end };
  return { ...opening, end: { status: "failed", error: opening.failure, errorCode: null } };
}

/**
 * A decision of the chat that may have ended its turn. `isReady` is true if the turn opened a pull
 * request that is ready for review.
 */
export function applyTurnDecision<Result>(
  state: SessionState,
  decision: ChatDecision<Result>,
  { nextTurnId, isReady = false }: { nextTurnId: string; isReady?: boolean },
  now: number,
): Decision<SessionState, Result, SessionEffect> {
  const settled = fromChatDecision(state, decision, now);
  if (isRefusal(settled)) return settled;
  const { endedTurn } = settled.state.chat;
  if (endedTurn === null || endedTurn === state.chat.endedTurn) return settled;
  const { session, isBack, marksReady, review } = endAutomaticTurn(settled.state, endedTurn);
  const open = { ...settled.state, session };
  const ended = isReady || isBack || isLeavingForReview(session, endedTurn) ? inReview(open, now) : open;
  const { result } = settled;
  const effects: SessionEffect[] = [...settled.effects, ...(marksReady ? [{ type: "mark-ready" } as const] : [])];
  if (findEndByPullRequest(ended) !== null)
    return decided(ended, result, [...effects, { type: "follow-pull-request" }]);
  // Up next continues only in Active sessions.
  if (ended.session.status !== "active") return decided(ended, result, effects);
  const next = startQueuedTurn(withAutomaticLast(ended), nextTurnId, now);
  const going = withReviewOf(ended, next.state.turn, review);
  const drained = fromChatDecision(going, decided(next.state, result, next.effects), now);
  return isRefusal(drained) ? drained : { ...drained, effects: [...effects, ...drained.effects] };
}

function inReview({ session, chat }: SessionState, now: number): SessionState {
  const pause = getReviewPause(chat.pause, now);
  return { session: { ...session, status: "under-review" }, chat: { ...chat, pause } };
}
