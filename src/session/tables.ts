// The index of sessions and their jobs, for lists, searches and access checks. The session objects
// own the data.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { turnOwnerTypes } from "../chat/rules/chat.ts";
import { pauseReasons } from "../chat/rules/queue-pause.ts";
import { turnStatuses } from "../chat/rules/turn.ts";
import type { Metadata } from "./rules/metadata.ts";
import { needsYouReasons } from "./rules/needs-you.ts";
import { pullRequestStates } from "./rules/pull-request/state.ts";
import { type FiledBy, priorities, titleSources } from "./rules/session.ts";
import { sessionStatuses } from "./rules/status.ts";

export const sessions = sqliteTable(
  "sessions",
  {
    ...createSessionColumns(),
    assigneeKind: text({ enum: ["member", "service"] }),
    assigneeId: text(),
    turnId: text(),
    turnNumber: integer(),
    turnStatus: text({ enum: turnStatuses }),
    queueCount: integer().notNull(),
    needsYou: text({ enum: needsYouReasons }),
    /** The cron and the run that filed it; null for others. */
    filedCronId: text(),
    filedRunId: text(),
    /** True if `prompt` is only the start of the object's prompt (`toListedPrompt`). */
    isPromptCut: integer({ mode: "boolean" }).notNull().default(false),
    /**
     * The title and the start of the prompt, normalized for search. They come last, because a row
     * that is read without them is shorter.
     */
    searchTitle: text().notNull().default(""),
    searchPrompt: text().notNull().default(""),
  },
  (session) => {
    // The order of lists, and the columns of their filters. A page and its total are read from the
    // index only.
    const listed = [
      session.createdAt,
      session.id,
      session.status,
      session.assigneeKind,
      session.assigneeId,
      session.needsYou,
    ] as const;
    return [
      index("sessions_by_project").on(session.projectId, ...listed),
      index("sessions_by_workspace").on(session.workspaceId, ...listed),
      // For webhooks of the code host.
      index("sessions_by_branch").on(session.branch),
      index("sessions_by_sandbox").on(session.sandboxKey),
      index("sessions_by_run").on(session.filedRunId).where(sql`filed_run_id IS NOT NULL`),
      index("sessions_by_target").on(session.projectId, session.targetBranch, session.status),
      // For the limit of a workspace's Backlog.
      index("sessions_in_backlog").on(session.workspaceId).where(sql`status = 'backlog'`),
      // For the sweep of ended work.
      index("sessions_by_end").on(session.endedAt).where(sql`ended_at IS NOT NULL`),
      // For the sweep of silent turns.
      index("sessions_by_turn_status").on(session.turnStatus, session.updatedAt),
    ];
  },
);

export const jobs = sqliteTable(
  "jobs",
  {
    id: text().primaryKey(),
    ownerType: text({ enum: turnOwnerTypes }).notNull().default("session"),
    ownerId: text().notNull(),
    number: integer().notNull(),
    status: text({ enum: turnStatuses }).notNull(),
    /**
     * The member whose subscription pays for it; null for the workspace, and until the payer is
     * known.
     */
    payerId: text(),
    createdAt: integer().notNull(),
  },
  (job) => [
    index("jobs_by_owner").on(job.ownerId, job.number),
    // For the turns that a disconnected subscription ends.
    index("jobs_by_payer").on(job.payerId).where(sql`payer_id IS NOT NULL AND status IN ('pending', 'running')`),
  ],
);

/** The metadata of sessions, to find those that have a value. */
export const sessionMetadata = sqliteTable(
  "session_metadata",
  { sessionId: text().notNull(), key: text().notNull(), value: text().notNull() },
  (metadata) => [
    primaryKey({ columns: [metadata.sessionId, metadata.key] }),
    index("session_metadata_by_value").on(metadata.key, metadata.value, metadata.sessionId),
  ],
);

/**
 * The newest restore of each restored session. An object that was set back has lost its own record
 * of that, and finds it here.
 */
export const sessionRestores = sqliteTable("session_restores", {
  sessionId: text().primaryKey(),
  /** Distinguishes this restore from others of the session. */
  token: text().notNull(),
  /** The time to which the session is restored. */
  toTime: integer().notNull(),
  sandboxKey: text().notNull(),
  /** The newest live event before the restore. */
  lastEventId: integer().notNull(),
  /** The bookmark of the state before the restore; null until the platform has named it. */
  undo: text(),
  askedAt: integer().notNull(),
  /** Null until the restored session is listed. */
  settledAt: integer(),
});

/** The newest reason why a session needs somebody that a person has seen, by its time. */
export const sessionSeen = sqliteTable(
  "session_seen",
  { sessionId: text().notNull(), userId: text().notNull(), since: integer().notNull() },
  (seen) => [
    primaryKey({ columns: [seen.sessionId, seen.userId] }),
    // For the deletion of a person.
    index("session_seen_by_user").on(seen.userId),
  ],
);

/**
 * The start of each text that a search in messages finds. Its migration makes the full-text index
 * `message_index` of it, which triggers keep the same.
 */
export const messageTexts = sqliteTable(
  "message_texts",
  {
    /** Grows with each message, so that the newest come first without sorting. */
    id: integer().primaryKey({ autoIncrement: true }),
    messageId: text().notNull().unique(),
    sessionId: text().notNull(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    jobId: text().notNull(),
    role: text({ enum: ["user", "assistant"] }).notNull(),
    /** The words that name its workspace and its project in the index. */
    scope: text().notNull(),
    text: text().notNull(),
    createdAt: integer().notNull(),
  },
  (message) => [index("message_texts_by_session").on(message.sessionId)],
);

/** Creates with an Idempotency-Key. The same key returns the same session, cron or project. */
export const sessionCreates = sqliteTable(
  "session_creates",
  {
    /** The caller, the project and the Idempotency-Key. */
    key: text().primaryKey(),
    bodyHash: text().notNull(),
    /** The id of what is created, which need not be a session. */
    sessionId: text().notNull(),
    createdAt: integer().notNull(),
    /** True once it has been created, if a repeat must not create it again. */
    isCreated: integer({ mode: "boolean" }).notNull().default(false),
  },
  (create) => [index("session_creates_by_time").on(create.createdAt)],
);

/**
 * The columns of a session that exist both in its object's database and in the D1 index. Returns
 * new column builders: drizzle does not share them between tables.
 */
export function createSessionColumns() {
  return {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    title: text().notNull(),
    /** Of a session that an earlier version stored, the source is not known. */
    titleSource: text({ enum: titleSources }).notNull().default("person"),
    prompt: text(),
    status: text({ enum: sessionStatuses }).notNull(),
    priority: text({ enum: priorities }).notNull(),
    model: text(),
    /** What its turns may cost the workspace, in US dollars; null for no limit. */
    spendLimitUsd: real(),
    branch: text(),
    targetBranch: text().notNull(),
    metadata: text({ mode: "json" }).$type<Metadata>().notNull().default({}),
    sandboxKey: text().notNull(),
    createdBy: text(),
    filedBy: text({ mode: "json" }).$type<FiledBy>(),
    prUrl: text(),
    prNumber: integer(),
    prState: text({ enum: pullRequestStates }),
    prBase: text(),
    isBehind: integer({ mode: "boolean" }).notNull(),
    needsYouSince: integer(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    startedAt: integer(),
    endedAt: integer(),
    pauseReason: text({ enum: pauseReasons }),
    pausedAt: integer(),
  };
}
