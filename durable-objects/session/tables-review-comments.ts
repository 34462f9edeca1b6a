// Review comments on the changes of a session.

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import { commentSides } from "../../src/session/rules/review-comment.ts";

export const reviewComments = sqliteTable("review_comments", {
  id: text().primaryKey(),
  filePath: text().notNull(),
  side: text({ enum: commentSides }).notNull(),
  startLineNumber: integer().notNull(),
  endLineNumber: integer().notNull(),
  body: text().notNull(),
  lineSnapshot: text().notNull(),
  resolved: integer({ mode: "boolean" }).notNull(),
  outdated: integer({ mode: "boolean" }).notNull().default(false),
  author: text({ mode: "json" }).$type<Author>().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
});
