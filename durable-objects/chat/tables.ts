// The conversation of a chat: the messages, the blocks of assistant messages, and the cursor of each turn's link.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import type { Block } from "../../src/chat/rules/block.ts";
import { type Attachment, type MessageContext, messageRoles, noContext } from "../../src/chat/rules/message.ts";

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
    /** Set by an event of the link that changed the block while it was the turn's newest: so a piece of text writes no row of `links`. */
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
