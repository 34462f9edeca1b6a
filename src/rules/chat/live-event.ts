// Live events of a chat: what those who follow it are told, in the product's words.
import type { Block } from "./block.ts";
import type { ChatState, NewMessage } from "./chat.ts";
import type { Turn } from "./turn.ts";
import type { QueuedMessage, UpNextPause } from "./up-next.ts";

/** What is shown of a turn. */
export type TurnView = Pick<
  Turn,
  "id" | "number" | "status" | "error" | "errorCode" | "createdAt" | "startedAt" | "completedAt"
>;

export type ChatEvent =
  /** A turn began or changed. */
  | { type: "turn"; turnId: string; turn: TurnView }
  | { type: "turn-ended"; turnId: string; turn: Pick<TurnView, "status" | "error" | "errorCode"> }
  /** A user's message came into a turn. */
  | { type: "message"; turnId: string; message: NewMessage }
  /** A block of the agent's answer, whole; `place` counts the blocks of the turn. */
  | { type: "answer-block"; turnId: string; messageId: string; place: number; block: Block }
  /** What a text block of it grew by. */
  | { type: "answer-text"; turnId: string; messageId: string; place: number; delta: string }
  /** Up next without its texts, which may be long: whoever shows it reads what is new. */
  | { type: "up-next"; turnId: null; messages: Pick<QueuedMessage, "id" | "version">[]; pause: UpNextPause | null }
  /** The owner of the chat is gone, and the chat with it. */
  | { type: "deleted"; turnId: null };

/** How an owner stands, as an event of its own. */
export interface OwnerEvent {
  type: `${string}-changed`;
  turnId: null;
}

export type LiveEvent = ChatEvent | OwnerEvent;

export function turnEvent({
  id,
  number,
  status,
  error,
  errorCode,
  createdAt,
  startedAt,
  completedAt,
}: Turn): ChatEvent {
  const turn = { id, number, status, error, errorCode, createdAt, startedAt, completedAt };
  return { type: "turn", turnId: id, turn };
}

export function turnEndedEvent({ id, status, error, errorCode }: Turn): ChatEvent {
  return { type: "turn-ended", turnId: id, turn: { status, error, errorCode } };
}

export function messageEvent(message: NewMessage): ChatEvent {
  return { type: "message", turnId: message.turnId, message };
}

export function upNextEvent({ upNext, pause }: ChatState): ChatEvent {
  return { type: "up-next", turnId: null, messages: upNext.map(({ id, version }) => ({ id, version })), pause };
}

/** A chat, and how its owner stands. */
export interface OwnedChat {
  chat: ChatState;
  owner: OwnerEvent;
}

/**
 * What a decision changed, in the order in which it is told: the turn that ended, the messages that were added, the turn that began or
 * changed, and then how owner and Up next stand. A new turn always brings both, so that whoever reads from its first event on knows all.
 */
export function changesOf(before: OwnedChat | null, after: OwnedChat | null): LiveEvent[] {
  if (after === null) return before ? [{ type: "deleted", turnId: null }] : [];
  const { turn, endedTurn, newMessages } = after.chat;
  const turnBefore = before?.chat.turn ?? null;
  const events: LiveEvent[] = endedTurn ? [turnEvent(endedTurn), turnEndedEvent(endedTurn)] : [];
  events.push(...newMessages.map(messageEvent));
  const isNewTurn = turn !== null && turn.id !== turnBefore?.id;
  if (turn && turn.id !== endedTurn?.id && differ(turnBefore && turnEvent(turnBefore), turnEvent(turn)))
    events.push(turnEvent(turn));
  const standing = ({ owner, chat }: OwnedChat) => [owner, upNextEvent(chat)];
  const stood = before && standing(before);
  for (const [place, event] of standing(after).entries())
    if (isNewTurn || differ(stood?.[place] ?? null, event)) events.push(event);
  return events;
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
