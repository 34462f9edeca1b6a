// Live events of a chat, as its subscribers receive them, in the product's words.
import type { Block } from "./block.ts";
import type { Boot } from "./boot.ts";
import type { ChatState, NewMessage } from "./chat.ts";
import type { QueuedMessage } from "./queue.ts";
import type { QueuePause } from "./queue-pause.ts";
import type { Turn } from "./turn.ts";

/** The public fields of a turn. */
export type TurnView = Pick<
  Turn,
  "id" | "number" | "status" | "error" | "errorCode" | "usage" | "createdAt" | "startedAt" | "completedAt"
> & {
  /** Events of earlier versions lack it. */
  result?: Turn["result"];
  /** How far the start of its sandbox is. It is never stored. */
  boot?: Boot | null;
  /** When its last sign of life came. It is never stored with the turn. */
  lastSignAt?: number | null;
};

export type ChatEvent =
  /** A turn started or changed. */
  | { type: "turn"; turnId: string; turn: TurnView }
  | { type: "turn-ended"; turnId: string; turn: Pick<TurnView, "status" | "error" | "errorCode"> }
  /** A user's message joined a turn. */
  | { type: "message"; turnId: string; message: NewMessage }
  /** A whole block of the agent's reply. `place` is its index within the turn. */
  | { type: "answer-block"; turnId: string; messageId: string; place: number; block: Block }
  /**
   * Text appended to a block of the agent's reply. `at` is the length of the block's text before
   * it; events of earlier versions lack it.
   */
  | { type: "answer-text"; turnId: string; messageId: string; place: number; delta: string; at?: number }
  /**
   * Up next without the texts, which may be long. Clients load new messages themselves. Events of
   * earlier versions lack `editing`.
   */
  | {
      type: "up-next";
      turnId: null;
      messages: (Pick<QueuedMessage, "id" | "version"> & Partial<Pick<QueuedMessage, "editing">>)[];
      pause: QueuePause | null;
      /** The ids of the steers that the turn has not taken yet; missing where there are none. */
      steers?: string[];
    }
  /** The service added a sentence to the conversation. `about` is its subject. */
  | { type: "system-message"; turnId: null; message: { id: string; about: string; content: string; createdAt: number } }
  /** The owner of the chat was deleted, and the chat with it. */
  | { type: "deleted"; turnId: null };

/** The current state of an owner. */
export interface OwnerEvent {
  type: `${string}-changed`;
  turnId: null;
}

/**
 * What a running tool has printed. It is sent to the readers that are connected, and never logged.
 */
export interface PrintedOutput {
  turnId: string;
  messageId: string;
  place: number;
  /** The length of the tool's output before `text`, in UTF-16 units. */
  at: number;
  text: string;
}

export type LiveEvent = ChatEvent | OwnerEvent;

export function toTurnEvent({
  id,
  number,
  status,
  error,
  errorCode,
  usage,
  result,
  createdAt,
  startedAt,
  completedAt,
}: Turn): ChatEvent {
  const turn = { id, number, status, error, errorCode, usage, result, createdAt, startedAt, completedAt };
  return { type: "turn", turnId: id, turn };
}

export function toTurnEndedEvent({ id, status, error, errorCode }: Turn): ChatEvent {
  return { type: "turn-ended", turnId: id, turn: { status, error, errorCode } };
}

export function toMessageEvent(message: NewMessage): ChatEvent {
  return { type: "message", turnId: message.turnId, message };
}

export function toQueueEvent({ upNext, pause, steers }: ChatState): ChatEvent {
  const messages = upNext.map(({ id, version, editing }) => ({ id, version, editing }));
  const untaken = steers.length > 0 && { steers: steers.map(({ steerId }) => steerId) };
  return { type: "up-next", turnId: null, messages, pause, ...untaken };
}

/** A chat and the state of its owner. */
export interface OwnedChat {
  chat: ChatState;
  owner: OwnerEvent;
}

/**
 * The events of a decision, in order: the ended turn, the new messages, the turn that started or
 * changed, then the owner's state and Up next. A new turn always includes both, so that a
 * subscriber who starts at its first event has the whole state.
 */
export function listChatChanges(before: OwnedChat | null, after: OwnedChat | null): LiveEvent[] {
  if (after === null) return before ? [{ type: "deleted", turnId: null }] : [];
  const { turn, endedTurn, newMessages } = after.chat;
  const turnBefore = before?.chat.turn ?? null;
  const events: LiveEvent[] = endedTurn ? [toTurnEvent(endedTurn), toTurnEndedEvent(endedTurn)] : [];
  events.push(...newMessages.map(toMessageEvent));
  const isNewTurn = turn !== null && turn.id !== turnBefore?.id;
  if (turn && turn.id !== endedTurn?.id && differ(turnBefore && uncounted(turnBefore), uncounted(turn)))
    events.push(toTurnEvent(turn));
  const listState = ({ owner, chat }: OwnedChat) => [owner, toQueueEvent(chat)];
  const stateBefore = before && listState(before);
  for (const [place, event] of listState(after).entries())
    if (isNewTurn || differ(stateBefore?.[place] ?? null, event)) events.push(event);
  return events;
}

/** A turn without its usage: a change of the usage only is not an event. */
function uncounted(turn: Turn): ChatEvent {
  return toTurnEvent({ ...turn, usage: null });
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
