// A steer: a message from Up next that is handed to the running turn. It counts as taken once the
// agent confirms it. If it is not taken before the turn ends, it returns to the top of Up next.

import { type Actor, isOwn } from "../../access/rules/actor.ts";
import { findProvider } from "../../model/rules/model.ts";
import { decided } from "../../rules/decision.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { findCalledBuiltInSkill } from "../../skill/rules/skill-call.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { getQueuedMessage, type QueuedFacts, type QueuedMessage, without } from "./queue.ts";
import { isUnfinished, type Turn } from "./turn.ts";

export interface Steer {
  steerId: string;
  /** The turn that it was handed to. */
  turnId: string;
  message: QueuedMessage;
}

/** Who steers. */
export interface SteerSender {
  by: Actor;
  /**
   * True for a Deploy Chat, where messages are steered into any member's turn if its model takes
   * steers.
   */
  intoAny?: boolean;
}

/**
 * Why an unfinished turn cannot be steered by a message; null if it can. Refuses STEER_UNAVAILABLE
 * while no agent works, and JOB_STOPPED_TEXT_RETURNED while the turn is being stopped.
 */
export function checkSteer(
  turn: Turn,
  message: Pick<QueuedMessage, "content" | "context" | "author">,
  { by, intoAny = false }: SteerSender,
): Refusal | null {
  if (intoAny && findProvider(turn.model) !== "anthropic") {
    return refuse("STEER_UNAVAILABLE", "The model of this turn cannot be steered. The message stays in Up next.");
  }
  if (!intoAny && !isOwn(turn.sender, by)) {
    return refuse("FORBIDDEN", "Another member started this turn. You can steer only your own turns.");
  }
  if (turn.status === "pending") return refuse("STEER_UNAVAILABLE");
  if (findCalledBuiltInSkill(message, turn.model) !== null) {
    return refuse("STEER_UNAVAILABLE", "This skill needs a turn of its own. The message stays in Up next.");
  }
  if (message.context.resultSchema) {
    return refuse(
      "STEER_UNAVAILABLE",
      "This message asks for a result, so it needs a turn of its own. It stays in Up next.",
    );
  }
  return turn.stopRequestedAt === null ? null : refuse("JOB_STOPPED_TEXT_RETURNED");
}

/**
 * Steers a queued message into the running turn (Part 1, "Delivery values of a send"). Only its
 * author may do this, and in a session only into their own turn.
 */
export function steer(
  chat: ChatState,
  command: { messageId: string; steerId: string } & SteerSender,
  facts: QueuedFacts,
): ChatDecision<Steer> {
  const { messageId, steerId, by, intoAny = false } = command;
  const message = getQueuedMessage(chat, messageId, { action: "up-next.change", by }, facts);
  if (isRefusal(message)) return message;
  const { turn } = chat;
  if (!isUnfinished(turn)) return refuse("STEER_UNAVAILABLE");
  const refusal = checkSteer(turn, message, { by, intoAny });
  if (refusal) return refusal;
  const handed: Steer = { steerId, turnId: turn.id, message: { ...message, editing: null } };
  const after = { ...chat, upNext: without(chat.upNext, messageId), steers: [...chat.steers, handed] };
  return decided(after, handed, [{ type: "deliver-steers", id: turn.id }, { type: "index-chat" }]);
}

/**
 * Adds a steer to the conversation once the agent has taken it. Does nothing for an unknown steer.
 */
export function recordSteerTaken(
  chat: ChatState,
  event: { turnId: string; steerId: string },
  now: number,
): ChatDecision<null> {
  const taken = chat.steers.find(({ steerId, turnId }) => steerId === event.steerId && turnId === event.turnId);
  if (!taken) return decided(chat, null);
  const { id, content, attachments, author, createdAt: writtenAt } = taken.message;
  const message = {
    ...{ id, content, attachments, author },
    context: { writtenAt, ...taken.message.context },
    turnId: taken.turnId,
    delivery: "steer" as const,
    createdAt: now,
  };
  const steers = chat.steers.filter((other) => other !== taken);
  return decided({ ...chat, steers, newMessages: [...chat.newMessages, message] }, null, [{ type: "index-chat" }]);
}

/** Returns the steers that were not taken to the top of Up next, in order (Part 1, "Up next"). */
export function returnSteers(chat: ChatState): ChatState {
  if (chat.steers.length === 0) return chat;
  return { ...chat, steers: [], upNext: [...chat.steers.map(({ message }) => message), ...chat.upNext] };
}
