// The conversation of a chat: the messages, the blocks of assistant messages, and the link cursor of each turn.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../../src/rules/access/actor.ts";
import type { Block } from "../../../src/rules/chat/block.ts";
import { type Attachment, type MessageContext, messageRoles, noContext } from "../../../src/rules/chat/message.ts";

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
  },
  (block) => [
    primaryKey({ columns: [block.turnId, block.place] }),
    index("blocks_by_message").on(block.messageSeq, block.place),
  ],
);

export const links = sqliteTable("links", {
  turnId: text().primaryKey(),
  /** The last event that is stored. */
  seq: integer().notNull(),
  lastEventAt: integer().notNull(),
  /** The total size of its events. */
  bytes: integer().notNull().default(0),
});
