// A chat: one conversation with an agent, for any owner. Its state is the newest turn, Up next, the
// steers, and the model and conversation of the next turn. The rules of turns are in the other
// files of this folder.
import type { Author } from "../../access/rules/actor.ts";
import type { Decision } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import type { MessageBody } from "./message.ts";
import type { QueuedMessage } from "./queue.ts";
import type { QueuePause } from "./queue-pause.ts";
import type { Steer } from "./steer.ts";
import type { Turn } from "./turn.ts";

/** A user message that a decision adds to the conversation. */
export interface NewMessage extends MessageBody {
  id: string;
  turnId: string;
  delivery: "job" | "steer";
  author: Author;
  createdAt: number;
}

/** The state that the rules of a chat need. Its size does not grow with the conversation. */
export interface ChatState {
  /** The newest turn, ended or not. */
  turn: Turn | null;
  upNext: QueuedMessage[];
  /**
   * The messages that were handed to the running turn and that its agent has not taken yet, in
   * order.
   */
  steers: Steer[];
  pause: QueuePause | null;
  /** The model of the next turn; null lets the service choose. */
  model: string | null;
  /** The id of the agent's conversation in the sandbox. A new id starts the agent fresh. */
  conversationId: string;
  /**
   * The time of the last `/clear`. Earlier messages are not handed to an agent that starts fresh.
   */
  clearedAt: number | null;
  /**
   * The turn that the decision ended; null when the state is loaded. `turn` may already be the next
   * one.
   */
  endedTurn: Turn | null;
  /** Messages that the decision adds; empty when the state is loaded. */
  newMessages: NewMessage[];
}

export type ChatDecision<Result> = Decision<ChatState, Result, ChatEffect>;

/** An empty chat. */
export function createChatState({ model, conversationId }: Pick<ChatState, "model" | "conversationId">): ChatState {
  return {
    turn: null,
    upNext: [],
    steers: [],
    pause: null,
    model,
    conversationId,
    clearedAt: null,
    endedTurn: null,
    newMessages: [],
  };
}

/** The chat as the input of the next decision, without the results of the previous one. */
export function toSettledChat(chat: ChatState): ChatState {
  return { ...chat, endedTurn: null, newMessages: [] };
}

/**
 * The owner of a turn: the noun that the turn's agent works for. The owner's object stores the
 * turn. Tokens, streams and sandboxes refer to the owner by type and id.
 */
export const turnOwnerTypes = ["session", "project", "cron-run"] as const;

export interface TurnOwner {
  type: (typeof turnOwnerTypes)[number];
  id: string;
  /**
   * The cron of a run. Everything that its runs store is in one folder, which is deleted with the
   * cron.
   */
  cronId?: string;
}

/** The identity of a turn link: a turn, and the sandbox generation that runs it. */
export interface TurnLinkClaim {
  turnId: string;
  generation: number;
}
