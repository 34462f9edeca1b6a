// Changes of what waits: edits, moves and deletions; and steering, where whoever asked hears whether the message got there.
import { newId } from "../../src/ids.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import { deleteQueued, editQueued, moveQueued } from "../../src/rules/chat/queued-message.ts";
import { steer } from "../../src/rules/chat/steer.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { ofChat } from "../../src/rules/session/chat.ts";
import type { SessionDesk } from "./context.ts";
import type { UpNextChange } from "./rpc.ts";

/** An agent that is between two model requests takes a steer at once; one in the midst of a long command takes it later. */
const steerWaitMs = 250;

/** Changes a message that waits. */
export function changeUpNext({ store, decideChat }: SessionDesk, change: UpNextChange): Refusal | null {
  const facts = { hasLeft: store.hasLeft(change.messageId) };
  return decideChat((chat, now) => {
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

/** Steers a message into the running turn. Answers when its agent took it, or when that takes longer than a moment. */
export async function steerMessage(
  { store, conversation, endings, decideOnce, checkIdle }: SessionDesk,
  messageId: string,
  by: Actor,
  repeat: Idempotency | null,
): Promise<{ steerId: string } | Refusal> {
  const busy = checkIdle();
  if (busy) return busy;
  const steerId = newId();
  const facts = { hasLeft: store.hasLeft(messageId) };
  const handed = decideOnce(repeat, (state, now) =>
    ofChat(state, steer(state.chat, { messageId, steerId, by }, facts), now),
  );
  if (isRefusal(handed)) return handed;
  // One that was handed over by an earlier request of the same key has been waited for.
  if (handed.steerId !== steerId) return { steerId: handed.steerId };
  await endings.wait(steerId, steerWaitMs);
  const isWaiting = store.find()?.chat.steers.some((one) => one.steerId === steerId) === true;
  if (isWaiting || conversation.holds(handed.turnId, messageId)) return { steerId };
  const turn = store.turn(handed.turnId);
  const wasStopped = turn?.status === "cancelled" || turn?.stopRequestedAt !== null;
  return refuse(wasStopped ? "JOB_STOPPED_TEXT_RETURNED" : "STEER_UNAVAILABLE");
}
