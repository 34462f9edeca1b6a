// The triggers of projects, their keys, their runs, and the sessions of places.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { outcomes, skipReasons } from "./rules/outcome.ts";
import { answerKinds, type Trigger } from "./rules/trigger.ts";

/** One row for each project that has set triggers. */
export const triggers = sqliteTable("triggers", {
  projectId: text().primaryKey(),
  /** Rises with each change, so that a change of an older state is refused. */
  version: integer().notNull(),
  triggers: text({ mode: "json" }).$type<Trigger[]>().notNull(),
  /** Who wrote them last. Their public links need a writer who is still a member. */
  writtenBy: text(),
});

/** One row for each cause of a trigger. */
export const triggerRuns = sqliteTable(
  "trigger_runs",
  {
    id: text().primaryKey(),
    projectId: text().notNull(),
    triggerId: text().notNull(),
    triggerName: text().notNull(),
    /** What happened, in one text that is identical for all reports of it. */
    cause: text().notNull(),
    url: text(),
    /** Empty for a run that reached no session. */
    sessionId: text().notNull(),
    /** Null until the run has ended. */
    outcome: text({ enum: outcomes }),
    reason: text({ enum: skipReasons }),
    createdAt: integer().notNull(),
  },
  (run) => [
    uniqueIndex("trigger_runs_by_cause").on(run.triggerId, run.cause),
    index("trigger_runs_by_project").on(run.projectId, run.id),
    index("trigger_runs_by_time").on(run.createdAt),
    // The runs that count for a day, however many were skipped.
    index("trigger_runs_counted").on(run.triggerId, run.createdAt).where(sql`outcome IS NOT 'skipped'`),
  ],
);

/** The key of an HTTP trigger. Only its hash is stored. */
export const triggerKeys = sqliteTable(
  "trigger_keys",
  {
    triggerId: text().primaryKey(),
    projectId: text().notNull(),
    hash: text().notNull(),
    createdAt: integer().notNull(),
  },
  (key) => [uniqueIndex("trigger_keys_by_hash").on(key.hash), index("trigger_keys_by_project").on(key.projectId)],
);

/** One row for each place at the code host where a comment answers. */
export const triggerAnswers = sqliteTable(
  "trigger_answers",
  {
    projectId: text().notNull(),
    kind: text().notNull(),
    externalId: text().notNull(),
    /** The number of the issue or the pull request. */
    number: integer().notNull(),
    /** The session whose state the comment shows. */
    sessionId: text().notNull(),
    answer: text({ enum: answerKinds }).notNull(),
    /** Whose message the answer is for, as `createSenderKey`; null before a message was sent. */
    sender: text(),
    /** The code host's id of the comment; null until it is written, 0 once it is deleted there. */
    commentId: integer(),
    /** When the comment was last written. */
    editedAt: integer().notNull(),
    /**
     * The public link that the comment shows; null for none, and empty before it is made. It is
     * made once, so that a revoked one stays revoked.
     */
    slug: text(),
  },
  (answer) => [
    primaryKey({ columns: [answer.projectId, answer.kind, answer.externalId] }),
    index("trigger_answers_by_session").on(answer.sessionId),
  ],
);

/** The secret with which requests to an HTTP trigger are signed. */
export const triggerSecrets = sqliteTable(
  "trigger_secrets",
  {
    triggerId: text().primaryKey(),
    projectId: text().notNull(),
    sealed: text().notNull(),
  },
  (secret) => [index("trigger_secrets_by_project").on(secret.projectId)],
);

/** One row for each place, such as an incident, that has a session. */
export const triggerPlaces = sqliteTable(
  "trigger_places",
  {
    projectId: text().notNull(),
    /** One of a trigger, or one that a relay chose. */
    kind: text().notNull(),
    /** The name of the place outside of the service. */
    externalId: text().notNull(),
    /** The session that the place has, or will have. */
    sessionId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (place) => [
    primaryKey({ columns: [place.projectId, place.kind, place.externalId] }),
    index("trigger_places_by_session").on(place.sessionId),
  ],
);
