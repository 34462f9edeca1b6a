// The index of sessions and their jobs: projections of what the session objects own, for lists, searches and checks of access.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { needsYouReasons } from "../../rules/needs-you.ts";
import { type FiledBy, priorities, pullRequestStates, sessionStatuses } from "../../rules/session.ts";
import { turnStatuses } from "../../rules/turn.ts";
import { pauseReasons } from "../../rules/up-next.ts";

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    projectId: text().notNull(),
    title: text().notNull(),
    prompt: text(),
    status: text({ enum: sessionStatuses }).notNull(),
    priority: text({ enum: priorities }).notNull(),
    model: text(),
    branch: text(),
    targetBranch: text().notNull(),
    sandboxKey: text().notNull(),
    assigneeKind: text({ enum: ["member", "service"] }),
    assigneeId: text(),
    createdBy: text(),
    filedBy: text({ mode: "json" }).$type<FiledBy>(),
    prUrl: text(),
    prNumber: integer(),
    prState: text({ enum: pullRequestStates }),
    isBehind: integer({ mode: "boolean" }).notNull(),
    turnId: text(),
    turnNumber: integer(),
    turnStatus: text({ enum: turnStatuses }),
    queueCount: integer().notNull(),
    pauseReason: text({ enum: pauseReasons }),
    pausedAt: integer(),
    needsYou: text({ enum: needsYouReasons }),
    /** Title and prompt in the form that searches compare. */
    searchTitle: text().notNull().default(""),
    searchPrompt: text().notNull().default(""),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    startedAt: integer(),
    endedAt: integer(),
  },
  (session) => {
    // In the order of lists, with what their filters ask: a page and its total read no other rows than those shown.
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
      // The sweep looks here for turns that nobody ended.
      index("sessions_by_turn_status").on(session.turnStatus, session.updatedAt),
    ];
  },
);

export const jobs = sqliteTable(
  "jobs",
  {
    id: text().primaryKey(),
    sessionId: text().notNull(),
    number: integer().notNull(),
    status: text({ enum: turnStatuses }).notNull(),
    createdAt: integer().notNull(),
  },
  (job) => [index("jobs_by_session").on(job.sessionId, job.number)],
);

/** Sessions created under an Idempotency-Key: the same key leads to the same session. */
export const sessionCreates = sqliteTable(
  "session_creates",
  {
    /** Names the caller, the project and the key. */
    key: text().primaryKey(),
    bodyHash: text().notNull(),
    sessionId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (create) => [index("session_creates_by_time").on(create.createdAt)],
);
