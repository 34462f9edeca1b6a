// Sandboxes in D1: the slots in use, spares, running time, and prebuild layers.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { sandboxOwnerTypes } from "./rules/owner.ts";

/** A `claimed` slot is taken for a start that is not yet running. */
export const slotStates = ["claimed", "starting", "running"] as const;
export type SlotState = (typeof slotStates)[number];

/**
 * The owner of a slot's sandbox. `deleted`: its session is deleted; it is still ending, and no plan
 * limits it.
 */
const slotOwnerTypes = [...sandboxOwnerTypes, "deleted"] as const;

/**
 * One row per sandbox that is running, starting or about to start. The plan of a workspace limits
 * the rows of its sessions.
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

/** A spare is `making` until its services respond. Then a session may claim it. */
export const spareStates = ["making", "ready"] as const;

/**
 * The warm pool: sandboxes without an owner, ready for future sessions. Claiming one deletes its
 * row.
 */
export const sandboxSpares = sqliteTable(
  "sandbox_spares",
  {
    sandboxKey: text().primaryKey(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    state: text({ enum: spareStates }).notNull(),
    targetBranch: text().notNull(),
    /** The commit of its checkout; null until it is known. */
    commit: text(),
    /**
     * The stored text of the project's settings that it was made with. A spare with other settings
     * is not claimed.
     */
    settings: text().notNull(),
    /**
     * The stored networks of its project and workspace when it was started, one after the other.
     */
    network: text().notNull().default(""),
    /** The value of `SANDBOX_PROGRAM` when the spare was started. */
    program: text().notNull().default(""),
    createdAt: integer().notNull(),
  },
  (spare) => [index("sandbox_spares_by_project").on(spare.projectId, spare.state)],
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
 * A prebuild is `making` until its layer is stored (`ready`) or it could not be made (`unmade`).
 * New sandboxes do not use a `retired` prebuild; it is deleted once no sandbox uses it. A `held`
 * prebuild belongs to a main sandbox that is not live yet, and no other sandbox uses it.
 */
export const baseStates = ["making", "held", "ready", "unmade", "retired"] as const;

/**
 * Prebuild layers: a project's checkout after its setup. Sandboxes start from one, and their saved
 * work is a layer on top of it.
 */
export const sandboxBases = sqliteTable(
  "sandbox_bases",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    /** A hash of the commit, the settings and the sandbox program that it was made with. */
    fingerprint: text().notNull(),
    /** The same hash without the commit: a sandbox can move such a prebuild to its own commit. */
    recipe: text().notNull(),
    state: text({ enum: baseStates }).notNull(),
    createdAt: integer().notNull(),
    /** When its checkout was cloned, possibly for an older prebuild; null until it is made. */
    clonedAt: integer(),
  },
  (base) => [
    uniqueIndex("sandbox_bases_by_fingerprint").on(base.projectId, base.fingerprint),
    // For the sweep, which would otherwise read every prebuild of every project.
    index("sandbox_bases_by_state").on(base.state, base.projectId),
  ],
);

/** The prebuild that each sandbox uses. Its saved work cannot be restored without it. */
export const baseUsers = sqliteTable(
  "base_users",
  {
    sandboxKey: text().primaryKey(),
    baseId: text().notNull(),
    /**
     * The commit that the sandbox moved the prebuild to when it started; null for the prebuild's
     * own.
     */
    movedTo: text(),
  },
  (user) => [index("base_users_by_base").on(user.baseId)],
);
