// The end of a turn: the agent ends it, a member stops it, or the service concludes it. Whatever comes first, it ends exactly once. Whether
// Up next goes on behind it is for the chat's owner to say.
import { decided } from "../decision.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { returnSteers } from "./steer.ts";
import { isUnfinished, type Turn } from "./turn.ts";

/** How a turn came out, as the sandbox tells it or as the service concludes it. */
export type TurnEnd =
  | { status: "completed" | "awaiting_response" | "cancelled" }
  | { status: "failed"; error: string; errorCode: string | null };

/** The unfinished turn that an end is of; null for the end of any other. */
export function turnToEnd({ turn }: Pick<ChatState, "turn">, turnId: string): Turn | null {
  return isUnfinished(turn) && turn.id === turnId ? turn : null;
}

/** How a turn ends: a stop that a member asked for wins over whatever the agent came to meanwhile. */
export function endOf(turn: Turn, end: TurnEnd): TurnEnd {
  return turn.stopRequestedAt === null ? end : { status: "cancelled" };
}

/** Ends a turn once. A failure, a clarification or a stop pauses Up next (Part 1, "Up next"). */
export function endTurn(
  chat: ChatState,
  event: { turnId: string; end: TurnEnd },
  now: number,
): ChatDecision<{ ended: boolean }> {
  const turn = turnToEnd(chat, event.turnId);
  if (turn === null) return decided(chat, { ended: false });
  const end = endOf(turn, event.end);
  const failure = end.status === "failed" ? end : { error: null, errorCode: null };
  const ended: Turn = {
    ...turn,
    status: end.status,
    error: failure.error,
    errorCode: failure.errorCode,
    completedAt: now,
  };
  // A stop paused it when it was asked for; whoever resumed it since wants it to go on behind the stop.
  const wasStopped = turn.stopRequestedAt !== null;
  const pause = end.status === "completed" || wasStopped ? chat.pause : { reason: end.status, pausedAt: now };
  return decided(returnSteers({ ...chat, turn: ended, endedTurn: ended, pause }), { ended: true }, [
    { type: "forget", name: "watch-turn" },
    { type: "forget", name: "stop-overdue" },
    { type: "release-sandbox", turnId: turn.id },
    { type: "revoke-agent", turnId: turn.id },
    { type: "index-turn", turnId: turn.id },
    { type: "index-chat" },
  ]);
}
