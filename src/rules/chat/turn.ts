// A turn: one run of the agent, started by one message and tracked as a job. How it ends is in `turn-end.ts`.
import type { Author } from "../access/actor.ts";
import { decided } from "../decision.ts";
import type { ChatEffect } from "../effect.ts";
import { providerOf } from "../model/model.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import type { MessageBody } from "./message.ts";

export const turnStatuses = ["pending", "running", "awaiting_response", "completed", "failed", "cancelled"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export interface Turn {
  id: string;
  /** From 1 within the chat. */
  number: number;
  status: TurnStatus;
  error: string | null;
  errorCode: string | null;
  sender: Author;
  /** The model it runs on; null lets the service choose. */
  model: string | null;
  /** The agent's conversation that it goes on with, or begins. */
  conversationId: string;
  /** True when the agent starts fresh and gets what was said so far as text. */
  isHandover: boolean;
  /** The sandbox generation that works on it; 0 until one has it. Work of an older generation is ignored. */
  generation: number;
  stopRequestedAt: number | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
}

/** The watchdog first checks a turn after this; a sandbox that took it and stopped before it told of it is known to be gone then. */
export const firstCheckMs = 5_000;

/** True while a turn holds its chat: at most one such turn exists. */
export function isUnfinished(turn: Turn | null): turn is Turn & { status: "pending" | "running" } {
  return turn?.status === "pending" || turn?.status === "running";
}

/** What a turn is made from: its first message, and what that asks for. */
export interface NewTurn {
  turnId: string;
  messageId: string;
  body: MessageBody;
  author: Author;
  /** Null goes on with the chat's model. */
  model: string | null;
  /** True starts the agent fresh, with what was said so far as text. */
  startsFresh?: boolean;
}

/** Makes the next turn from a message. The watchdog is set with it, before any call can leave. */
export function startTurn(chat: ChatState, command: NewTurn, now: number): { state: ChatState; effects: ChatEffect[] } {
  const { turnId, messageId, body, author } = command;
  const model = command.model ?? chat.model;
  const isHandover = command.startsFresh === true || changesProvider(chat, model);
  // A conversation that is begun anew is named by the turn that begins it.
  const conversationId = isHandover ? turnId : chat.conversationId;
  const turn: Turn = {
    id: turnId,
    number: (chat.turn?.number ?? 0) + 1,
    status: "pending",
    error: null,
    errorCode: null,
    sender: author,
    model,
    conversationId,
    isHandover,
    generation: 0,
    stopRequestedAt: null,
    createdAt: now,
    startedAt: null,
    completedAt: null,
  };
  const newMessages = [
    ...chat.newMessages,
    { ...body, id: messageId, turnId, delivery: "job" as const, author, createdAt: now },
  ];
  return {
    state: { ...chat, model, conversationId, turn, newMessages },
    effects: [
      { type: "remind", name: "watch-turn", at: now + firstCheckMs },
      { type: "start-turn", turnId },
      { type: "index-turn", turnId },
      { type: "index-chat" },
    ],
  };
}

/** True when a decision started a turn. */
export function startsTurn(before: ChatState | null, { turn }: ChatState): boolean {
  return isUnfinished(turn) && turn.id !== before?.turn?.id;
}

/** An agent of one provider cannot go on with the conversation of another's (Part 1, "Send body", `model`). */
function changesProvider({ conversationId, turn }: ChatState, model: string | null): boolean {
  if (turn === null || turn.conversationId !== conversationId) return false;
  return turn.model !== null && model !== null && providerOf(turn.model) !== providerOf(model);
}

/** The sandbox has the turn and its agent works. An event of another turn, or of an older generation, changes nothing. */
export function turnStarted(
  chat: ChatState,
  event: { turnId: string; generation: number },
  now: number,
): ChatDecision<{ isLive: boolean }> {
  const { turn } = chat;
  if (!isUnfinished(turn) || turn.id !== event.turnId || event.generation < turn.generation) {
    return decided(chat, { isLive: false });
  }
  if (turn.status === "running" && turn.generation === event.generation) return decided(chat, { isLive: true });
  const running: Turn = { ...turn, status: "running", generation: event.generation, startedAt: turn.startedAt ?? now };
  return decided({ ...chat, turn: running }, { isLive: true }, [
    { type: "index-turn", turnId: turn.id },
    { type: "index-chat" },
  ]);
}
