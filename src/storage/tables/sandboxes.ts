// Sandboxes as the whole workspace sees them: the slots in use, and the public links to previews.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** One row per sandbox that runs or starts; the workspace's limit is the number of its rows. */
export const sandboxSlots = sqliteTable(
  "sandbox_slots",
  {
    sandboxKey: text().primaryKey(),
    workspaceId: text().notNull(),
    sessionId: text().notNull(),
    claimedAt: integer().notNull(),
  },
  (slot) => [index("sandbox_slots_by_workspace").on(slot.workspaceId)],
);

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
