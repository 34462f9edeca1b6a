// A live event on the wire: one thing that happened in a session, as its event streams tell it.
import type { Block } from "../rules/chat/block.ts";
import type { ChatState, NewMessage } from "../rules/chat/chat.ts";
import type { Turn } from "../rules/chat/turn.ts";
import type { SessionState } from "../rules/session/session.ts";
import { attachmentOnWire } from "./attachment.ts";
import { authorOnWire } from "./author.ts";
import { jobOnWire } from "./job.ts";
import { contextOnWire, hasContext } from "./message-context.ts";
import { sessionOnWire } from "./session.ts";
import { time } from "./wire-values.ts";

const liveEventNames = ["job", "queue", "block", "delta", "session", "end"] as const;
export type LiveEventName = (typeof liveEventNames)[number];

/** A reader of an object's live events asks for more with this frame, and is told with the other that it has all there is. */
export const readerMore = "more";
export const readerLive = "live";

export interface LiveEvent {
  /** The turn it belongs to; null for what belongs to the whole session. */
  turnId: string | null;
  event: LiveEventName;
  data: unknown;
}

type SessionPlace = Parameters<typeof attachmentOnWire>[0];

/** A block of the agent's answer, whole. */
export function blockEvent(turnId: string, messageId: string, index: number, block: Block): LiveEvent {
  return { turnId, event: "block", data: { jobId: turnId, messageId, role: "assistant", index, block } };
}

/** What a text block grew by. */
export function deltaEvent(turnId: string, messageId: string, index: number, delta: string): LiveEvent {
  return { turnId, event: "delta", data: { jobId: turnId, messageId, index, delta } };
}

/** A user's message: its text as a block, and what else came with it. */
export function spokenEvent(place: SessionPlace, message: NewMessage): LiveEvent {
  const { id, turnId, content, delivery, author, attachments, context, createdAt } = message;
  const block: Block = { type: "text", content };
  return {
    turnId,
    event: "block",
    data: {
      jobId: turnId,
      messageId: id,
      role: "user",
      index: 0,
      block,
      delivery,
      author: authorOnWire(author),
      attachments: attachments.map((attachment) => attachmentOnWire(place, attachment)),
      ...(hasContext(context) ? { context: contextOnWire(context) } : {}),
      createdAt: time(createdAt),
    },
  };
}

export function jobEvent(turn: Turn): LiveEvent {
  return { turnId: turn.id, event: "job", data: { job: jobOnWire(turn) } };
}

export function endEvent({ id, status, error, errorCode }: Turn): LiveEvent {
  return { turnId: id, event: "end", data: { jobId: id, status, error, errorCode } };
}

/** Up next without its texts, which may be long: whoever shows it reads what is new. */
export function queueEvent({ upNext, pause }: ChatState): LiveEvent {
  const messages = upNext.map(({ id, version }, position) => ({ id, position, version }));
  const paused = pause && { reason: pause.reason, pausedAt: time(pause.pausedAt) };
  return { turnId: null, event: "queue", data: { count: upNext.length, paused, messages } };
}

export function sessionEvent(state: SessionState, publicUrl: string): LiveEvent {
  return { turnId: null, event: "session", data: { session: sessionOnWire(state, publicUrl) } };
}

/**
 * What a decision changed, in the order in which it is told: the turn that ended, the messages that were added, the turn that began or changed, and then
 * how session and Up next stand. A new turn always brings both, so that whoever reads from its first event on knows all.
 */
export function changesOf(before: SessionState | null, after: SessionState | null, publicUrl: string): LiveEvent[] {
  if (after === null) return before ? [{ turnId: null, event: "end", data: { deleted: true } }] : [];
  const { turn, endedTurn, newMessages } = after.chat;
  const turnBefore = before?.chat.turn ?? null;
  const events: LiveEvent[] = endedTurn ? [jobEvent(endedTurn), endEvent(endedTurn)] : [];
  events.push(...newMessages.map((message) => spokenEvent(after.session, message)));
  const isNewTurn = turn !== null && turn.id !== turnBefore?.id;
  if (turn && turn.id !== endedTurn?.id && differ(turnBefore && jobEvent(turnBefore), jobEvent(turn)))
    events.push(jobEvent(turn));
  for (const tell of [
    (state: SessionState) => sessionEvent(state, publicUrl),
    ({ chat }: SessionState) => queueEvent(chat),
  ])
    if (isNewTurn || differ(before && tell(before), tell(after))) events.push(tell(after));
  return events;
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** An event as a stream gives it. Its data is JSON, which has no line breaks of its own. */
export function eventText({ id, event, data }: { id: number | string; event: string; data: string }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
