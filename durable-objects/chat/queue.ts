// Changes of Up next: edits, moves and deletions of waiting messages, and steering one into the
// running turn.

import type { Actor } from "../../src/access/rules/actor.ts";
import { deleteQueued, moveQueuedMessage, updateQueuedMessage } from "../../src/chat/rules/queue.ts";
import { type Steer, steer } from "../../src/chat/rules/steer.ts";
import { createId } from "../../src/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { Chat, ChatRule } from "./chat.ts";
import type { QueueChange } from "./rpc.ts";

/**
 * The wait for the agent to take a steer. The agent takes it immediately between two model
 * requests, but only later during a long command.
 */
const steerWaitMs = 250;

/** Changes a waiting message. */
export function updateQueue({ owner, store }: Pick<Chat, "owner" | "store">, change: QueueChange): Refusal | null {
  const facts = { hasLeft: store.hasLeft(change.messageId) };
  return owner.decide(change.by, (chat, now) => {
    switch (change.type) {
      case "edit":
        return updateQueuedMessage(chat, change, facts, now);
      case "delete":
        return deleteQueued(chat, change, facts);
      case "move":
        return moveQueuedMessage(chat, change, facts);
    }
  });
}

/**
 * Steers a message into the running turn, once for all requests that `decide` treats as repeats.
 * Returns when the agent has taken it, or after a short wait.
 */
export async function steerMessage(
  { owner, store, conversation, waiters }: Pick<Chat, "owner" | "store" | "conversation" | "waiters">,
  { messageId, by, intoAny = false }: { messageId: string; by: Actor; intoAny?: boolean },
  decide: (rule: ChatRule<Steer>) => Promise<Steer | Refusal> | Steer | Refusal = (rule) => owner.decide(by, rule),
): Promise<{ steerId: string } | Refusal> {
  const steerId = createId();
  const facts = { hasLeft: store.hasLeft(messageId) };
  const handed = await decide((chat) => steer(chat, { messageId, steerId, by, intoAny }, facts));
  if (isRefusal(handed)) return handed;
  // The first request of a repeat has already waited.
  if (handed.steerId === steerId) await waiters.wait(steerId, steerWaitMs);
  const isWaiting = owner.find()?.steers.some((one) => one.steerId === handed.steerId) === true;
  if (isWaiting || conversation.holds(handed.turnId, messageId)) return { steerId: handed.steerId };
  const turn = store.turn(handed.turnId);
  const wasStopped = turn?.status === "cancelled" || turn?.stopRequestedAt !== null;
  return refuse(wasStopped ? "JOB_STOPPED_TEXT_RETURNED" : "STEER_UNAVAILABLE");
}
