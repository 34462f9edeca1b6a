// The delivery of an accepted message: it starts a turn, or is queued in Up next.
import { type Actor, getAuthor, type Sender } from "../../access/rules/actor.ts";
import { decided } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { ClarificationQuestion } from "./block.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { type Answer, toChosenOptions, withOptions } from "./clarification.ts";
import { isFreshRetry } from "./fresh-agent.ts";
import { getLesserWriter, getWriter, type MessageBody, withWriter } from "./message.ts";
import { addToQueue, getQueuedMessage, type QueuedFacts, type QueuedMessage, startQueued } from "./queue.ts";
import { isUnfinished, startTurn } from "./turn.ts";

export interface DeliveryCommand {
  messageId: string;
  turnId: string;
  body: MessageBody;
  by: Sender;
  /** The model of the turn; null keeps the chat's model. */
  model: string | null;
  /** The answers to the open clarification; missing for none. */
  answers?: Answer[];
  /** The failed turn to retry with a fresh agent. */
  retriedTurnId: string | null;
}

export type Delivery =
  | { delivery: "job"; turnId: string; turnNumber: number }
  | { delivery: "queued"; queuedMessageId: string };

export interface DeliveryContext {
  /** The unanswered questions of the newest turn; missing if the send has no answers. */
  questions?: ClarificationQuestion[] | undefined;
  /** Refuses a message that would start a turn now. */
  checkStart(): Refusal | null;
}

/** Delivers a message (Part 1, "Delivery values of a send"). */
export function sendMessage(
  chat: ChatState,
  command: DeliveryCommand,
  { questions = [], checkStart }: DeliveryContext,
  now: number,
): ChatDecision<Delivery> {
  // While a turn runs there are no open questions, so answers are refused: somebody else has
  // already answered.
  const answers = toChosenOptions(questions, command.answers ?? []);
  if (isRefusal(answers)) return answers;
  const { messageId, turnId, model } = command;
  const author = getAuthor(command.by);
  // If somebody else saved the text, it may call only what both of them may call.
  const writer = getLesserWriter(getWriter(command.by), command.body.context.writer ?? "person");
  const body = withWriter(withOptions(command.body, answers), writer, author);
  if (isUnfinished(chat.turn)) {
    const message = { ...body, id: messageId, author, version: 1, editing: null, createdAt: now };
    const queued = addToQueue(chat, message);
    if (isRefusal(queued)) return queued;
    return decided(queued, { delivery: "queued", queuedMessageId: messageId }, [{ type: "index-chat" }]);
  }
  const refusal = checkStart();
  if (refusal) return refusal;
  const startsFresh = isFreshRetry(chat.turn, command.retriedTurnId);
  return asJob(startTurn({ ...chat, pause: null }, { turnId, messageId, body, author, model, startsFresh }, now));
}

/**
 * The waiting message to send now. Refuses everyone except its author, and refuses while a turn
 * runs (decisions, "Turns and Up next").
 */
export function getMessageToSend(
  chat: ChatState,
  { messageId, by }: { messageId: string; by: Actor },
  facts: QueuedFacts,
): QueuedMessage | Refusal {
  const message = getQueuedMessage(chat, messageId, { action: "up-next.change", by }, facts);
  if (isRefusal(message)) return message;
  if (isUnfinished(chat.turn)) return refuse("JOB_IN_PROGRESS", "A turn is running. The message is sent when it ends.");
  return message;
}

/** Sends a waiting message ahead of the others. */
export function sendQueuedMessage(
  chat: ChatState,
  message: QueuedMessage,
  command: { turnId: string; model: string | null },
  now: number,
): ChatDecision<Delivery> {
  return asJob(startQueued({ ...chat, pause: null }, message, command, now));
}

function asJob({ state, effects }: { state: ChatState; effects: ChatEffect[] }): ChatDecision<Delivery> {
  const { id: turnId = "", number: turnNumber = 0 } = state.turn ?? {};
  return decided(state, { delivery: "job", turnId, turnNumber }, effects);
}
