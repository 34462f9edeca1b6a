// Up next of a chat: the waiting messages, the steers, and the ids of messages that have left.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import { type Attachment, type MessageContext, noContext } from "../../src/chat/rules/message.ts";
import type { QueuedMessage } from "../../src/chat/rules/queue.ts";

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

/** The ids of messages that have left Up next, so that a late change is distinguished from an unknown id. */
export const leftUpNext = sqliteTable("left_up_next", { id: text().primaryKey() });
