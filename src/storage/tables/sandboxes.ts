// Sandboxes as the whole workspace sees them: the slots in use, and the public links to previews.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** `claimed` is one that was asked for ahead of a start, which may never come. */
export const slotStates = ["claimed", "starting", "running"] as const;
export type SlotState = (typeof slotStates)[number];

/** One row per sandbox that runs, starts or is about to; the workspace's limit is the number of its rows. */
export const sandboxSlots = sqliteTable(
  "sandbox_slots",
  {
    sandboxKey: text().primaryKey(),
    workspaceId: text().notNull(),
    sessionId: text().notNull(),
    state: text({ enum: slotStates }).notNull().default("starting"),
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

/** How long a workspace's sandboxes have run in a month, such as `2026-01`; what runs now is added when it ends. */
export const runningTime = sqliteTable(
  "running_time",
  {
    workspaceId: text().notNull(),
    month: text().notNull(),
    ms: integer().notNull(),
  },
  (time) => [primaryKey({ columns: [time.workspaceId, time.month] })],
);

/** `making` while its layer is on its way to storage; no sandbox begins with a `retired` one, which goes when nobody stands on it. */
export const baseStates = ["making", "ready", "retired"] as const;

/** Base layers: a project's checkout, made ready by its setup, from which its sandboxes start and on which their saved work stands. */
export const sandboxBases = sqliteTable(
  "sandbox_bases",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    /** Of the commit, the settings and the program that it was made with. */
    fingerprint: text().notNull(),
    state: text({ enum: baseStates }).notNull(),
    createdAt: integer().notNull(),
  },
  (base) => [uniqueIndex("sandbox_bases_by_fingerprint").on(base.projectId, base.fingerprint)],
);

/** Which sandbox stands on which base; its saved work is worth nothing without it. */
export const baseUsers = sqliteTable(
  "base_users",
  { sandboxKey: text().primaryKey(), baseId: text().notNull() },
  (user) => [index("base_users_by_base").on(user.baseId)],
);
