// Stopping a turn: whoever asks is answered when it is over, or when the sandbox has been asked and does not answer at once.
import type { Actor } from "../../src/rules/access/actor.ts";
import { cancelTurn } from "../../src/rules/chat/stop.ts";
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import type { Chat } from "./chat.ts";

/** How long a cancel waits for the sandbox's word before it answers. */
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
