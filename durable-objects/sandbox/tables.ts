// What a sandbox object stores: the one record of its life, the settings that it runs on, and the
// last saved changes of its checkout.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectSettings, StoredValue } from "../../src/project/rules/settings.ts";
import type { Past } from "../../src/sandbox/rules/idle-tail.ts";
import { type SandboxHolder, type StartFailure, sandboxStates } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { CheckoutChanges } from "./saved-work.ts";

export * from "../object/tables/outbox.ts";

export const sandbox = sqliteTable("sandbox", {
  id: integer().primaryKey(),
  state: text({ enum: sandboxStates }).notNull(),
  generation: integer().notNull(),
  owner: text({ mode: "json" }).$type<SandboxOwner>(),
  secret: text().notNull(),
  containerGeneration: integer().notNull(),
  archiveKey: text(),
  holders: text({ mode: "json" }).$type<SandboxHolder[]>().notNull(),
  lastUsedAt: integer().notNull(),
  lastLookedAt: integer(),
  runningSince: integer(),
  resumesOnVisit: integer({ mode: "boolean" }).notNull().default(true),
  resettingSince: integer(),
  failure: text({ mode: "json" }).$type<StartFailure>(),
  setupFailure: text(),
  spareBranch: text(),
  bootId: text(),
  program: text(),
  protocol: integer(),
  past: text({ mode: "json" }).$type<Past>().notNull().default({}),
});

/** The project's settings at the last start or reset, sealed as in D1. One row. */
export const settingsInForce = sqliteTable("settings_in_force", {
  id: integer().primaryKey(),
  settings: text({ mode: "json" }).$type<ProjectSettings<StoredValue>>().notNull(),
});

/** The changes in the checkout when its work was last saved. One row. */
export const savedChanges = sqliteTable("kept_changes", {
  id: integer().primaryKey(),
  changes: text({ mode: "json" }).$type<CheckoutChanges>().notNull(),
});
