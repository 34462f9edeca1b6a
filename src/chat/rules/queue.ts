// Up next: the messages that wait while a turn runs, and the rules for sending one.
import { type Actor, type Author, getStanding } from "../../access/rules/actor.ts";
import { type Action, checkStanding } from "../../access/rules/permission-table.ts";
import { decided } from "../../rules/decision.ts";
import type { ChatEffect } from "../../rules/effect.ts";
import { attachmentCount, queueSize } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import {
  type Attachment,
  getLesserWriter,
  getWriter,
  getWriterOfText,
  isEmptyMessage,
  type MessageBody,
  withWriter,
} from "./message.ts";
import { isUnfinished, startTurn } from "./turn.ts";

export interface QueuedMessage extends MessageBody {
  id: string;
  author: Author;
  /** Incremented by each edit, so that an edit of an older text can be refused. */
  version: number;
  /** The user who is editing it, and the end of the time for which that is shown. */
  editing: { userId: string; until: number } | null;
  createdAt: number;
}

/** Adds a message at the end of Up next. Refuses if Up next is full (Part 1, "Limits"). */
export function addToQueue(chat: ChatState, message: QueuedMessage): ChatState | Refusal {
  // Steers count too, because a steer that is not taken returns to Up next.
  if (chat.upNext.length + chat.steers.length >= queueSize) return refuse("QUEUE_FULL");
  return { ...chat, upNext: [...chat.upNext, message] };
}

/**
 * Starts the turn of the top message, unless a turn runs or Up next is paused (Part 1, "Up next").
 */
export function startQueuedTurn(
  chat: ChatState,
  turnId: string,
  now: number,
): { state: ChatState; effects: ChatEffect[] } {
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

/** A queued message: who may change it, and its edits, moves and deletion. */
export interface QueuedFacts {
  /** True if a message with this id has left Up next. */
  hasLeft: boolean;
}

/** The time for which an opened message is shown as being edited. */
export const editingMs = 2 * 60_000;

/**
 * Finds a waiting message. Refuses an actor who may not do this with it (Part 1, "Queued message";
 * decisions, "Chat sessions").
 */
export function getQueuedMessage(
  chat: ChatState,
  id: string,
  { action, by }: { action: Action; by: Actor },
  { hasLeft }: QueuedFacts,
): QueuedMessage | Refusal {
  const message = chat.upNext.find((waiting) => waiting.id === id);
  if (message) return checkStanding(action, getStanding(message.author, by)) ?? message;
  const isSteered = chat.steers.some((steer) => steer.message.id === id);
  return hasLeft || isSteered
    ? refuse("QUEUED_MESSAGE_GONE")
    : refuse("NOT_FOUND", "There is no such message in Up next.");
}

export interface QueuedEdit {
  messageId: string;
  by: Actor;
  /** The version that the editor was shown; null if unknown. */
  version: number | null;
  /** Null leaves the text as it is. */
  content: string | null;
  /** The files to keep; null keeps all. */
  retained: string[] | null;
  added: Attachment[];
  /** True opens it for editing, false closes it; null changes neither. */
  editing: boolean | null;
}

/**
 * Edits a message without moving it. Refuses QUEUED_MESSAGE_CHANGED for an edit of an older
 * version.
 */
export function updateQueuedMessage(
  chat: ChatState,
  edit: QueuedEdit,
  facts: QueuedFacts,
  now: number,
): ChatDecision<null> {
  const message = getQueuedMessage(chat, edit.messageId, { action: "up-next.change", by: edit.by }, facts);
  if (isRefusal(message)) return message;
  const isChanged = edit.content !== null || edit.retained !== null || edit.added.length > 0;
  if (!isChanged && edit.editing === null) return refuseField("", "names nothing to change");
  if (edit.version !== null && edit.version !== message.version) return refuse("QUEUED_MESSAGE_CHANGED");
  const { retained } = edit;
  const unknown = retained?.find((id) => !message.attachments.some((attachment) => attachment.id === id));
  if (unknown !== undefined) return refuse("BAD_REQUEST", `The message holds no attachment ${unknown}.`);
  const kept = message.attachments.filter(({ id }) => retained === null || retained.includes(id));
  const attachments = [...kept, ...edit.added];
  if (attachments.length > attachmentCount)
    return refuse("BAD_REQUEST", `A message takes at most ${attachmentCount} files.`);
  const content = edit.content ?? message.content;
  if (isEmptyMessage({ content, attachments, reviewComments: message.context.reviewCommentIds }))
    return refuseField("content", "must not be empty", "The message would be empty. Delete it instead.");
  const edited: QueuedMessage = {
    ...rewritten(message, edit, now),
    content,
    attachments,
    version: message.version + (isChanged ? 1 : 0),
    editing: editingAfter(message, edit, isChanged, now),
  };
  const upNext = chat.upNext.map((waiting) => (waiting === message ? edited : waiting));
  const dropped = message.attachments.filter((attachment) => !kept.includes(attachment));
  return decided({ ...chat, upNext }, null, deleteAttachments(dropped));
}

/**
 * The last editor of a text is its writer, even an agent that acts for the author. A file can
 * contain instructions too, so adding one also makes its sender the writer.
 */
function rewritten(message: QueuedMessage, { content, added, by }: QueuedEdit, now: number): QueuedMessage {
  if (content === null && added.length === 0) return message;
  const writer = content === null ? getLesserWriter(getWriter(by), getWriterOfText(message)) : getWriter(by);
  const { context } = withWriter(message, writer, message.author);
  return { ...message, context: { ...context, writtenAt: now } };
}

function editingAfter(
  message: QueuedMessage,
  { editing, by }: QueuedEdit,
  isChanged: boolean,
  now: number,
): QueuedMessage["editing"] {
  // An agent has no screen on which a message stays open, also if it acts for a member.
  if (editing && by.type === "member") return { userId: by.user.id, until: now + editingMs };
  return isChanged || editing === false ? null : message.editing;
}

/**
 * Deletes a message from Up next. Allowed for its author, and for an admin or the owner of the
 * workspace.
 */
export function deleteQueued(
  chat: ChatState,
  { messageId, by }: { messageId: string; by: Actor },
  facts: QueuedFacts,
): ChatDecision<null> {
  const message = getQueuedMessage(chat, messageId, { action: "up-next.delete", by }, facts);
  if (isRefusal(message)) return message;
  const after = { ...chat, upNext: without(chat.upNext, messageId) };
  return decided(after, null, [...deleteAttachments(message.attachments), { type: "index-chat" }]);
}

/** Moves a message to an index from the top. An index past the end means the end. */
export function moveQueuedMessage(
  chat: ChatState,
  { messageId, by, toIndex }: { messageId: string; by: Actor; toIndex: number },
  facts: QueuedFacts,
): ChatDecision<null> {
  const message = getQueuedMessage(chat, messageId, { action: "up-next.change", by }, facts);
  if (isRefusal(message)) return message;
  if (toIndex < 0) return refuse("BAD_REQUEST", "toIndex counts from 0, the top.");
  return decided({ ...chat, upNext: without(chat.upNext, messageId).toSpliced(toIndex, 0, message) }, null);
}

/** Up next without one message. */
export function without(upNext: QueuedMessage[], id: string): QueuedMessage[] {
  return upNext.filter((message) => message.id !== id);
}

function deleteAttachments(dropped: Attachment[]): ChatEffect[] {
  const [first] = dropped;
  return first ? [{ type: "drop-attachments", id: first.id, attachmentIds: dropped.map(({ id }) => id) }] : [];
}
