// What a project object stores: its record and its Deploys, and the tables of the Deploy Chat and
// of the object.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Author } from "../../src/access/rules/actor.ts";
import { pauseReasons } from "../../src/chat/rules/queue-pause.ts";
import {
  deployTriggers,
  type Instruction,
  type LeavingSandbox,
  type SettingsDraft,
} from "../../src/deploy/rules/project-state.ts";
import { emptyPool, type Pool } from "../../src/deploy/rules/spare-pool.ts";
import { deployStatuses } from "../../src/deploy/rules/status.ts";

export * from "../chat/tables.ts";
export * from "../object/tables/idempotent-results.ts";
export * from "../object/tables/outbox.ts";

export const project = sqliteTable("project", {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  liveSandboxKey: text(),
  leaving: text({ mode: "json" }).$type<LeavingSandbox[]>().notNull(),
  draft: text({ mode: "json" }).$type<SettingsDraft>(),
  instructions: text({ mode: "json" }).$type<Instruction[]>().notNull(),
  savedModel: text(),
  turnDeployId: text(),
  pool: text({ mode: "json" }).$type<Pool>().notNull().default(emptyPool),
  stuckCheckout: text(),
  isMainReclaimed: integer({ mode: "boolean" }).notNull().default(false),
  /** The Deploy Chat shows the messages after this position in the conversation. */
  chatBeginsAfter: integer().notNull().default(0),
  model: text(),
  conversationId: text().notNull(),
  clearedAt: integer(),
  pauseReason: text({ enum: pauseReasons }),
  pausedAt: integer(),
});

export const deploys = sqliteTable(
  "deploys",
  {
    id: text().primaryKey(),
    number: integer().notNull(),
    trigger: text({ enum: deployTriggers }).notNull(),
    status: text({ enum: deployStatuses }).notNull(),
    error: text(),
    sandboxKey: text(),
    isPromoted: integer({ mode: "boolean" }).notNull(),
    isUpdate: integer({ mode: "boolean" }).notNull(),
    hasAgentRun: integer({ mode: "boolean" }).notNull(),
    phaseId: text().notNull(),
    phaseDueAt: integer(),
    isSwitching: integer({ mode: "boolean" }).notNull(),
    problems: text({ mode: "json" }).$type<string[]>().notNull(),
    startedBy: text({ mode: "json" }).$type<Author>(),
    createdAt: integer().notNull(),
    startedAt: integer().notNull(),
    completedAt: integer(),
  },
  (deploy) => [
    uniqueIndex("deploys_by_number").on(deploy.number),
    // The database enforces that at most one Deploy is in progress.
    uniqueIndex("one_deploy_at_work")
      .on(sql`1`)
      .where(
        sql`status in ('creating_sandbox', 'starting_services', 'running_agent', 'updating', 'awaiting_user', 'warming', 'promoting')`,
      ),
  ],
);

/** The Deploy of each turn, and the sandbox that the turn runs in. */
export const deployTurns = sqliteTable(
  "deploy_turns",
  {
    turnId: text().primaryKey(),
    deployId: text().notNull(),
    sandboxKey: text(),
  },
  (turn) => [index("deploy_turns_by_deploy").on(turn.deployId)],
);
