// What an object that hosts turns keeps of them: the messages, the blocks of its assistant messages, and how far each turn's link has come.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../../src/rules/access/actor.ts";
import type { Block } from "../../../src/rules/chat/block.ts";
import { type Attachment, type MessageContext, noContext } from "../../../src/rules/chat/message.ts";

export const messages = sqliteTable(
  "messages",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    role: text({ enum: ["user", "assistant"] }).notNull(),
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
    /** Its place among the turn's blocks. */
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
  /** The last event that is safe here. */
  seq: integer().notNull(),
  lastEventAt: integer().notNull(),
  /** What its events have taken together. */
  bytes: integer().notNull().default(0),
});
