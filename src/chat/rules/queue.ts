// Up next: the messages that wait while a turn runs, its pauses, and when a message is sent.
import type { Author } from "../../access/rules/actor.ts";
import { type Decided, decided } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import { upNextSize } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { ChatState } from "./chat.ts";
import type { MessageBody } from "./message.ts";
import { isUnfinished, startTurn } from "./turn.ts";

export const pauseReasons = ["failed", "cancelled", "awaiting_response", "under_review"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface UpNextPause {
  reason: PauseReason;
  pausedAt: number;
}

export interface QueuedMessage extends MessageBody {
  id: string;
  author: Author;
  /** Incremented by each edit, so that an edit of an older text can be refused. */
  version: number;
  /** The user who has it open for editing, and until when that is shown. */
  editing: { userId: string; until: number } | null;
  createdAt: number;
}

/** Adds a message at the end of Up next. Refuses if Up next is full (Part 1, "Limits"). */
export function enqueue(chat: ChatState, message: QueuedMessage): ChatState | Refusal {
  // Steers count too, because one that is not taken returns to Up next.
  if (chat.upNext.length + chat.steers.length >= upNextSize) return refuse("QUEUE_FULL");
  return { ...chat, upNext: [...chat.upNext, message] };
}

/** Starts the turn of the top message, unless a turn runs or Up next is paused (Part 1, "Up next"). */
export function drain(chat: ChatState, turnId: string, now: number): { state: ChatState; effects: ChatEffect[] } {
  const [top] = chat.upNext;
  if (!top || chat.pause !== null || isUnfinished(chat.turn)) return { state: chat, effects: [] };
  return startQueued(chat, top, { turnId, model: null }, now);
}

/** Starts the turn of a waiting message. */
export function startQueued(
  chat: ChatState,
  message: QueuedMessage,
  { turnId, model }: { turnId: string; model: string | null },
  now: number,
): { state: ChatState; effects: ChatEffect[] } {
  const { id, content, attachments, author, createdAt } = message;
  const upNext = chat.upNext.filter((waiting) => waiting !== message);
  const context = { ...message.context, writtenAt: message.context.writtenAt ?? createdAt };
  const body = { content, attachments, context };
  return startTurn({ ...chat, upNext }, { turnId, messageId: id, body, author, model }, now);
}

/** Resumes a paused Up next, and sends its top message if no turn runs. Does nothing if Up next is not paused. */
export function resumeUpNext(
  chat: ChatState,
  command: { turnId: string; modelIfNone?: string | null },
  now: number,
): Decided<ChatState, null, ChatEffect> {
  // The first turn may have found no runnable model, so the model is chosen again.
  const model = chat.model ?? command.modelIfNone ?? null;
  const resumed = drain({ ...chat, model, pause: null }, command.turnId, now);
  const state = resumed.state.turn === chat.turn ? { ...chat, pause: null } : resumed.state;
  return decided(state, null, [...resumed.effects, { type: "index-chat" }]);
}
