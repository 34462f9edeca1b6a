// Changes of what waits: edits, moves and deletions; and steering, where whoever asked is told whether the message got there.
import { newId } from "../../src/ids.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import { deleteQueued, editQueued, moveQueued } from "../../src/rules/chat/queued-message.ts";
import { type Steer, steer } from "../../src/rules/chat/steer.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { Chat, ChatRule } from "./chat.ts";
import type { UpNextChange } from "./rpc.ts";

/** An agent that is between two model requests takes a steer at once; one in the midst of a long command takes it later. */
const steerWaitMs = 250;

/** Changes a message that waits. */
export function changeUpNext({ owner, store }: Pick<Chat, "owner" | "store">, change: UpNextChange): Refusal | null {
  const facts = { hasLeft: store.hasLeft(change.messageId) };
  return owner.decide(change.by, (chat, now) => {
    switch (change.type) {
      case "edit":
        return editQueued(chat, change, facts, now);
      case "delete":
        return deleteQueued(chat, change, facts);
      case "move":
        return moveQueued(chat, change, facts);
    }
  });
}

/**
 * Steers a message into the running turn, once for all requests that `decide` takes for the same. Answers when the agent took it, or when
 * that takes longer than a moment.
 */
export async function steerMessage(
  { owner, store, conversation, waiters }: Pick<Chat, "owner" | "store" | "conversation" | "waiters">,
  { messageId, by }: { messageId: string; by: Actor },
  decide: (rule: ChatRule<Steer>) => Steer | Refusal = (rule) => owner.decide(by, rule),
): Promise<{ steerId: string } | Refusal> {
  const steerId = newId();
  const facts = { hasLeft: store.hasLeft(messageId) };
  const handed = decide((chat) => steer(chat, { messageId, steerId, by }, facts));
  if (isRefusal(handed)) return handed;
  // One that was handed over by an earlier request of the same key has been waited for.
  if (handed.steerId !== steerId) return { steerId: handed.steerId };
  await waiters.wait(steerId, steerWaitMs);
  const isWaiting = owner.find()?.steers.some((one) => one.steerId === steerId) === true;
  if (isWaiting || conversation.holds(handed.turnId, messageId)) return { steerId };
  const turn = store.turn(handed.turnId);
  const wasStopped = turn?.status === "cancelled" || turn?.stopRequestedAt !== null;
  return refuse(wasStopped ? "JOB_STOPPED_TEXT_RETURNED" : "STEER_UNAVAILABLE");
}
