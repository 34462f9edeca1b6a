// A chat: one conversation with an agent, whoever owns it. Its newest turn, what waits Up next, what is steered into the turn, and the model
// and the agent's conversation that the next turn goes on with. How turns run, end and follow one another is in the files beside this one.
import type { Author } from "../access/actor.ts";
import type { Decision } from "../decision.ts";
import type { ChatEffect } from "../effect.ts";
import type { MessageBody } from "./message.ts";
import type { Steer } from "./steer.ts";
import type { Turn } from "./turn.ts";
import type { QueuedMessage, UpNextPause } from "./up-next.ts";

/** A user message that joins the conversation with the decision that brings it. */
export interface NewMessage extends MessageBody {
  id: string;
  turnId: string;
  delivery: "job" | "steer";
  author: Author;
  createdAt: number;
}

/** All that the rules of a chat look at. Its size does not grow with the conversation. */
export interface ChatState {
  /** The newest turn, ended or not. */
  turn: Turn | null;
  upNext: QueuedMessage[];
  /** Messages handed to the running turn that its agent has not taken yet, in order. */
  steers: Steer[];
  pause: UpNextPause | null;
  /** What the next turn runs on; null lets the service choose. */
  model: string | null;
  /** Names the agent's conversation in the sandbox; a new one starts the agent fresh. */
  conversationId: string;
  /** What was said before is not told again to an agent that starts fresh. */
  clearedAt: number | null;
  /** The turn that the decision ended; null when the state is loaded. `turn` may already be the next one. */
  endedTurn: Turn | null;
  /** Messages that the decision adds; empty when the state is loaded. */
  newMessages: NewMessage[];
}

export type ChatDecision<Answer> = Decision<ChatState, Answer, ChatEffect>;

/** A chat in which nothing has been said. */
export function newChat({ model, conversationId }: Pick<ChatState, "model" | "conversationId">): ChatState {
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

/** The chat as the next decision finds it: what this one brought about is told. */
export function settledChat(chat: ChatState): ChatState {
  return { ...chat, endedTurn: null, newMessages: [] };
}
