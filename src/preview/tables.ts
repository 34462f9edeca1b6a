// The public links to previews.
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const shareLinks = sqliteTable(
  "share_links",
  {
    slug: text().primaryKey(),
    projectId: text().notNull(),
    /** Null for the project's main preview. */
    sessionId: text(),
    sandboxKey: text().notNull(),
    createdBy: text(),
    createdAt: integer().notNull(),
    lastViewedAt: integer(),
  },
  (link) => [uniqueIndex("share_links_by_sandbox").on(link.sandboxKey)],
);
