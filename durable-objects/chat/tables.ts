// The conversation of a chat: the messages, the blocks of assistant messages, and the cursor of
// each turn's link.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import type { Block } from "../../src/chat/rules/block.ts";
import { type Attachment, type MessageContext, messageRoles, noContext } from "../../src/chat/rules/message.ts";
import type { QueuedMessage } from "../../src/chat/rules/queue.ts";
import { turnStatuses } from "../../src/chat/rules/turn.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import type { Usage } from "../../src/usage/rules/usage.ts";

/** How far the events of a turn's link are stored. */
export interface LinkCursor {
  /** The last event that is stored. */
  seq: number;
  /** What the events have taken together. */
  bytes: number;
  /** When it came. */
  at: number;
}

export const messages = sqliteTable(
  "messages",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    role: text({ enum: messageRoles }).notNull(),
    /** For a sentence of the service, what it is about. */
    turnId: text().notNull(),
    content: text(),
    attachments: text({ mode: "json" }).$type<Attachment[]>().notNull().default([]),
    context: text({ mode: "json" }).$type<MessageContext>().notNull().default(noContext),
    delivery: text({ enum: ["job", "steer"] }),
    author: text({ mode: "json" }).$type<Author>(),
    createdAt: integer().notNull(),
  },
  (message) => [index("messages_by_turn").on(message.turnId)],
);

export const blocks = sqliteTable(
  "blocks",
  {
    turnId: text().notNull(),
    /** Its index among the turn's blocks. */
    place: integer().notNull(),
    messageSeq: integer().notNull(),
    block: text({ mode: "json" }).$type<Block>().notNull(),
    /**
     * Set by an event of the link that changed the block while it was the turn's newest: so a piece
     * of text writes no row of `links`.
     */
    cursor: text({ mode: "json" }).$type<LinkCursor>(),
  },
  (block) => [
    primaryKey({ columns: [block.turnId, block.place] }),
    index("blocks_by_message").on(block.messageSeq, block.place),
  ],
);

/** The cursor as far as events and signs of life moved it that changed no newest block. */
export const links = sqliteTable("links", {
  turnId: text().primaryKey(),
  seq: integer().notNull(),
  lastEventAt: integer().notNull(),
  bytes: integer().notNull().default(0),
});

// The live events of a chat, numbered without gaps, so that a subscriber can resume after its last
// event.

/**
 * Every index that an event is in is one more row written, and pieces of text are most of what
 * happens. So they are in none, and the log draws the numbers itself.
 */
export const eventLog = sqliteTable(
  "event_log",
  {
    id: integer().primaryKey(),
    /** The turn of the event; null for an event of the owner. */
    turnId: text(),
    event: text().notNull(),
    /** JSON: the other fields of the event. */
    data: text().notNull(),
    /**
     * The bytes of `data` of all events up to this one, so that the size of the log is known by its
     * two ends.
     */
    totalBytes: integer().notNull().default(0),
  },
  (event) => [index("event_log_by_turn").on(event.turnId).where(sql`event <> 'answer-text'`)],
);

/**
 * The log of earlier versions. Nothing is written there any more; the numbers go on behind its last
 * one.
 */
export const liveEvents = sqliteTable(
  "live_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    turnId: text(),
    event: text().notNull(),
    data: text().notNull(),
  },
  (event) => [index("live_events_by_turn").on(event.turnId)],
);

// The model calls of a chat that were answered, with what each used.

export const modelCalls = sqliteTable(
  "model_calls",
  {
    /** Drawn by who made the call, so that none is counted twice. */
    id: text().primaryKey(),
    /** The turn or the runtime command that made it, or a piece of work of its own. */
    workId: text().notNull(),
    /** The member for whom work that is no turn was done. */
    memberId: text(),
    model: text(),
    payer: text({ mode: "json" }).$type<Payer>().notNull(),
    inputTokens: integer().notNull(),
    cachedTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Null on a subscription. */
    nanoUsd: integer(),
    at: integer().notNull(),
    /** What all calls up to this one cost; null where an earlier version counted the call. */
    spentNanoUsd: integer(),
  },
  (call) => [index("model_calls_by_work").on(call.workId)],
);

// The turns of a chat, ended or not.

export const turns = sqliteTable(
  "turns",
  {
    id: text().primaryKey(),
    number: integer().notNull(),
    status: text({ enum: turnStatuses }).notNull(),
    error: text(),
    errorCode: text(),
    sender: text({ mode: "json" }).$type<Author>().notNull(),
    model: text(),
    payer: text({ mode: "json" }).$type<Payer>(),
    usage: text({ mode: "json" }).$type<Usage>(),
    conversationId: text().notNull().default(""),
    isHandover: integer({ mode: "boolean" }).notNull().default(false),
    generation: integer().notNull(),
    stopRequestedAt: integer(),
    createdAt: integer().notNull(),
    startedAt: integer(),
    completedAt: integer(),
  },
  (turn) => [
    uniqueIndex("turns_by_number").on(turn.number),
    // The database enforces that at most one turn is unfinished.
    uniqueIndex("one_unfinished_turn").on(sql`1`).where(sql`status in ('pending', 'running')`),
    index("turns_by_status").on(turn.status),
  ],
);

// Up next of a chat: the waiting messages, the steers, and the ids of messages that have left.

const queuedMessage = () => ({
  id: text().primaryKey(),
  position: integer().notNull(),
  content: text().notNull(),
  attachments: text({ mode: "json" }).$type<Attachment[]>().notNull().default([]),
  context: text({ mode: "json" }).$type<MessageContext>().notNull().default(noContext),
  author: text({ mode: "json" }).$type<Author>().notNull(),
  version: integer().notNull(),
  editing: text({ mode: "json" }).$type<QueuedMessage["editing"]>(),
  createdAt: integer().notNull(),
});

export const upNext = sqliteTable("up_next", queuedMessage());

/** The messages handed to the running turn that its agent has not taken yet. */
export const steers = sqliteTable("steers", {
  ...queuedMessage(),
  steerId: text().notNull(),
  turnId: text().notNull(),
});

/**
 * The ids of messages that have left Up next, so that a late change is distinguished from an
 * unknown id.
 */
export const leftUpNext = sqliteTable("left_up_next", { id: text().primaryKey() });
