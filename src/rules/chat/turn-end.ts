// The end of a turn: the agent ends it, a member stops it, or the service concludes it. Whatever comes first, it ends exactly once.
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { endByPullRequest } from "../pull-request/code-host-event.ts";
import { endOpening, type OpeningEnd } from "../pull-request/open-end.ts";
import { leavesForReview } from "../pull-request/ship.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { Session, SessionState } from "../session/session.ts";
import { returnSteers } from "./steer.ts";
import { isUnfinished, type Turn } from "./turn.ts";
import { drain } from "./up-next.ts";

/** How a turn came out, as the sandbox tells it or as the service concludes it. */
export type TurnEnd =
  | { status: "completed" | "awaiting_response" | "cancelled" }
  | { status: "failed"; error: string; errorCode: string | null };

/** How long a sandbox has to confirm a stop before it is discarded. */
export const stopSettleMs = 5_000;

/** Ends a turn once. A completed turn lets Up next go on; a failure, a clarification or a stop pauses it (Part 1, "Up next"). */
export function endTurn(
  state: SessionState,
  news: { turnId: string; end: TurnEnd; nextTurnId: string },
  now: number,
): Decision<SessionState, { ended: boolean }, SessionEffect> {
  const { turn } = state;
  if (!isUnfinished(turn) || turn.id !== news.turnId) return decided(state, { ended: false });
  // A stop that a member asked for wins over whatever the agent came to meanwhile.
  const told: TurnEnd = turn.stopRequestedAt === null ? news.end : { status: "cancelled" };
  const { session: after, isReady: isOpened, end } = openingEnded(state, turn, told);
  const failure = end.status === "failed" ? end : { error: null, errorCode: null };
  const ended: Turn = {
    ...turn,
    status: end.status,
    error: failure.error,
    errorCode: failure.errorCode,
    completedAt: now,
  };
  const isReady = isOpened || leavesForReview(after, ended);
  // A stop paused it when it was asked for; whoever resumed it since wants it to go on behind the stop.
  const wasStopped = turn.stopRequestedAt !== null;
  const pause = end.status === "completed" || wasStopped ? state.pause : { reason: end.status, pausedAt: now };
  const session: Session = { ...after, status: isReady ? "under-review" : after.status, updatedAt: now };
  // Nothing that waits goes out while people review.
  const paused = isReady ? (pause ?? { reason: "under_review" as const, pausedAt: now }) : pause;
  const settled = returnSteers({ ...state, session, turn: ended, endedTurn: ended, pause: paused });
  const isOver = endByPullRequest(settled) !== null;
  const drained = isOver ? { state: settled, effects: [] } : drain(settled, news.nextTurnId, now);
  return decided(drained.state, { ended: true }, [
    { type: "forget", name: "watch-turn" },
    { type: "forget", name: "stop-overdue" },
    { type: "release-sandbox", turnId: turn.id },
    { type: "revoke-agent", turnId: turn.id },
    { type: "index-turn", turnId: turn.id },
    { type: "index-session" },
    ...(isOver ? [{ type: "follow-pull-request" } as const] : []),
    ...drained.effects,
  ]);
}

/** What a turn that came to an end by itself leaves of a pull request that it was to open; one that it could not open fails it. */
function openingEnded({ session }: SessionState, turn: Turn, end: TurnEnd): OpeningEnd & { end: TurnEnd } {
  if (end.status !== "completed" && end.status !== "awaiting_response") {
    return { session, isReady: false, failure: null, end };
  }
  const opening = endOpening(session, turn.id, end.status === "awaiting_response");
  if (opening.failure === null) return { ...opening, end };
  return { ...opening, end: { status: "failed", error: opening.failure, errorCode: null } };
}

/**
 * Stops a turn at a member's wish, which pauses Up next (Part 1, "Job statuses"). A pending turn is over at once; a running one is over
 * when the sandbox says that its agent and processes are gone, or when it has not said so in time. Refuses BAD_REQUEST for a turn that
 * has ended.
 */
export function cancelTurn(
  state: SessionState,
  command: { turnId: string; nextTurnId: string },
  now: number,
): Decision<SessionState, { settled: boolean }, SessionEffect> {
  const { turn } = state;
  if (!isUnfinished(turn) || turn.id !== command.turnId) {
    return refuse("BAD_REQUEST", "This job has already ended, so there is nothing to cancel.");
  }
  const pause = { reason: "cancelled" as const, pausedAt: now };
  if (turn.stopRequestedAt !== null) {
    // Resumed in the midst of the stop: to ask for the stop again is to pause again.
    if (state.pause !== null) return decided(state, { settled: false });
    return decided({ ...state, pause }, { settled: false }, [{ type: "index-session" }]);
  }
  const stopping: SessionState = { ...state, turn: { ...turn, stopRequestedAt: now }, pause };
  if (turn.status === "pending") {
    const end = { turnId: turn.id, end: { status: "cancelled" as const }, nextTurnId: command.nextTurnId };
    const ended = endTurn(stopping, end, now);
    if (isRefusal(ended)) return ended;
    return decided(ended.state, { settled: true }, [...ended.effects, { type: "stop-turn", turnId: turn.id }]);
  }
  return decided(stopping, { settled: false }, [
    { type: "remind", name: "stop-overdue", at: now + stopSettleMs },
    { type: "stop-turn", turnId: turn.id },
    { type: "index-session" },
  ]);
}

/** The sandbox did not confirm a stop in time: the turn is over, and the sandbox that still holds it is discarded. */
export function stopOverdue(
  state: SessionState,
  command: { nextTurnId: string },
  now: number,
): Decision<SessionState, { ended: boolean }, SessionEffect> {
  const { turn } = state;
  if (!isUnfinished(turn) || turn.stopRequestedAt === null) return decided(state, { ended: false });
  const end = { turnId: turn.id, end: { status: "cancelled" as const }, nextTurnId: command.nextTurnId };
  const ended = endTurn(state, end, now);
  if (isRefusal(ended)) return ended;
  return decided(ended.state, ended.answer, [
    { type: "discard-sandbox", generation: turn.generation },
    ...ended.effects,
  ]);
}
