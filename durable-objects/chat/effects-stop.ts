// Stops a turn. Returns when the turn has ended, or after a short wait for the sandbox.
import type { Actor } from "../../src/access/rules/actor.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { cancelTurn } from "../../src/chat/rules/turn-end-stop.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import type { Chat } from "./chat.ts";

/** The longest wait for the sandbox's answer to a stop. */
const cancelWaitMs = 900;

export async function cancel(
  { owner, waiters, store }: Pick<Chat, "owner" | "waiters" | "store">,
  { turnId, by }: { turnId: string; by: Actor },
  waitMs = cancelWaitMs,
): Promise<{ settled: boolean } | Refusal> {
  const answer = owner.decide(by, (chat, now) => cancelTurn(chat, { turnId }, now));
  if (isRefusal(answer) || answer.settled) return answer;
  await waiters.wait(turnId, waitMs);
  return { settled: !isUnfinished(store.turn(turnId)) };
}
