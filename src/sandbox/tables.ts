// Sandboxes in D1: the slots in use, spares, running time, public links to previews, and base
// layers.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { sandboxOwnerTypes } from "./rules/owner.ts";

/** `claimed` is a slot that is taken for a start that has not begun. */
export const slotStates = ["claimed", "starting", "running"] as const;
export type SlotState = (typeof slotStates)[number];

/**
 * Whose sandbox has a slot. Of `deleted` is one whose session is deleted: it still ends, and no
 * plan limits it.
 */
const slotOwnerTypes = [...sandboxOwnerTypes, "deleted"] as const;

/**
 * One row for each sandbox that is running, starting or about to start. The plan of a workspace
 * limits the rows of its sessions.
 */
export const sandboxSlots = sqliteTable(
  "sandbox_slots",
  {
    sandboxKey: text().primaryKey(),
    workspaceId: text().notNull(),
    ownerType: text({ enum: slotOwnerTypes }).notNull().default("session"),
    ownerId: text().notNull(),
    state: text({ enum: slotStates }).notNull().default("starting"),
    claimedAt: integer().notNull(),
  },
  (slot) => [index("sandbox_slots_by_workspace").on(slot.workspaceId)],
);

/** A spare is `making` until its services answer. Then a session may claim it. */
export const spareStates = ["making", "ready"] as const;

/**
 * The warm pool: sandboxes that belong to nobody, kept ready for sessions to come. The claim of one
 * deletes its row.
 */
export const sandboxSpares = sqliteTable(
  "sandbox_spares",
  {
    sandboxKey: text().primaryKey(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    state: text({ enum: spareStates }).notNull(),
    targetBranch: text().notNull(),
    /** The commit that its checkout is at; null until it is known. */
    commit: text(),
    /**
     * The stored text of the project's settings that it was made with. One that was made with
     * others is not claimed.
     */
    settings: text().notNull(),
    /** `SANDBOX_PROGRAM` when it was begun. */
    program: text().notNull().default(""),
    createdAt: integer().notNull(),
  },
  (spare) => [index("sandbox_spares_by_project").on(spare.projectId, spare.state)],
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

/**
 * How long a workspace's sandboxes have run in a month such as `2026-01`. The time of a running one
 * is added when it stops.
 */
export const runningTime = sqliteTable(
  "running_time",
  {
    workspaceId: text().notNull(),
    month: text().notNull(),
    ms: integer().notNull(),
  },
  (time) => [primaryKey({ columns: [time.workspaceId, time.month] })],
);

/**
 * A base is `making` until its layer is stored (`ready`) or its making has failed (`unmade`). New
 * sandboxes do not use a `retired` base; it is deleted once no sandbox uses it. A `held` one is
 * that of a main sandbox which is not live yet: no other sandbox uses it.
 */
export const baseStates = ["making", "held", "ready", "unmade", "retired"] as const;

/**
 * Base layers: a project's checkout after its setup. Sandboxes start from it, and their saved work
 * is a layer on top of it.
 */
export const sandboxBases = sqliteTable(
  "sandbox_bases",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    /** A hash of the commit, the settings and the sandbox program that it was made with. */
    fingerprint: text().notNull(),
    /**
     * A hash of the same without the commit: a sandbox can move such a base on to its own. Null for
     * a base of an earlier version.
     */
    recipe: text(),
    state: text({ enum: baseStates }).notNull(),
    createdAt: integer().notNull(),
    /**
     * When the checkout was cloned that it goes back to, which may be that of an older base; null
     * until it is made.
     */
    clonedAt: integer(),
  },
  (base) => [
    uniqueIndex("sandbox_bases_by_fingerprint").on(base.projectId, base.fingerprint),
    // For the sweep, which would read every base of every project.
    index("sandbox_bases_by_state").on(base.state, base.projectId),
  ],
);

/** The base that each sandbox uses. Its saved work cannot be restored without it. */
export const baseUsers = sqliteTable(
  "base_users",
  {
    sandboxKey: text().primaryKey(),
    baseId: text().notNull(),
    /** The commit that the sandbox moved it on to when it began; null for the base's own. */
    movedTo: text(),
  },
  (user) => [index("base_users_by_base").on(user.baseId)],
);
