// A chat session on the wire.

import * as z from "zod";
import { pauseReasons } from "../chat/rules/queue-pause.ts";
import { otherAuthorSchema } from "../chat/wire/author.ts";
import { jobStatusSchema } from "../chat/wire/job.ts";
import {
  exampleIds,
  exampleSessionPath,
  exampleTimes,
  formatTime,
  formatTimeOrNull,
  timestamp,
  uuid,
} from "../lib/wire.ts";
import { listedPromptCharacters } from "../rules/limits.ts";
import type { MessageMatch } from "./queries/message-texts.ts";
import { type SessionView, toSessionView } from "./rules/live-event.ts";
import { findNeedsYouSince, isReasonSeen, needsYouReasons } from "./rules/needs-you.ts";
import { pullRequestStates } from "./rules/pull-request/state.ts";
import { commandStatuses, runtimeCommands } from "./rules/runtime-command.ts";
import { priorities, type SessionState, titleSources } from "./rules/session.ts";
import { sessionStatuses } from "./rules/status.ts";
import type { SessionSummary } from "./rules/summary.ts";

const memberAssigneeSchema = z
  .object({
    kind: z.literal("member"),
    userId: z.string().describe("The member's user id."),
    name: z.string().describe("The member's name."),
    imageUrl: z.string().nullable().describe("The member's picture; null where they have none."),
  })
  .meta({ id: "MemberAssignee", description: "A session that is assigned to a member." });

const serviceAssigneeSchema = z
  .object({ kind: z.literal("service") })
  .meta({ id: "ServiceAssignee", description: "A session that is assigned to the service itself." });

const assigneeSchema = z
  .discriminatedUnion("kind", [memberAssigneeSchema, serviceAssigneeSchema])
  .meta({ id: "Assignee", description: "Who a session is assigned to." });

export const sessionStatusSchema = z.enum(sessionStatuses).meta({
  id: "SessionStatus",
  description: "`completed` and `archived` are final.",
});

export const prioritySchema = z.enum(priorities).meta({ id: "Priority", description: "How urgent a session is." });

const pauseSchema = z
  .object({
    reason: z.enum(pauseReasons).describe("What paused it."),
    pausedAt: timestamp.describe("When the pause began."),
  })
  .meta({
    id: "Pause",
    description: "Why Up next waits longer than the running turn.",
    examples: [{ reason: "cancelled", pausedAt: exampleTimes.later }],
  });

export const pausedSchema = pauseSchema.nullable().describe("Why Up next pauses; null if not.");

export const runtimeCommandSchema = z.enum(runtimeCommands).meta({
  id: "RuntimeCommand",
  description: "`/clear` starts the agent fresh, `/compact` summarizes the conversation.",
});

const commandRunSchema = z
  .object({
    command: runtimeCommandSchema.describe("The command."),
    status: z.enum(commandStatuses).describe("Its status."),
    error: z.string().nullable().describe("Why it failed; null where it did not."),
  })
  .meta({
    id: "RuntimeCommandRun",
    description: "A runtime command that was run.",
    examples: [{ command: "/compact", status: "completed", error: null }],
  });

const latestJobSchema = z
  .object({
    id: uuid.describe("The job's id."),
    status: jobStatusSchema.describe("The state of the turn."),
    jobNumber: z.int().describe("The number of the job within the session."),
  })
  .meta({
    id: "LatestJob",
    description: "The newest job of a session.",
    examples: [{ id: exampleIds.job, status: "running", jobNumber: 1 }],
  });

const exampleSession = {
  id: exampleIds.session,
  projectId: exampleIds.project,
  title: "Sort departures by time",
  titleSource: "person",
  prompt: null,
  isPromptCut: false,
  status: "active",
  priority: "none",
  model: "anthropic:opus__high",
  spendLimitUsd: null,
  branch: "svc/sort-departures-by-time-0d3f7e",
  targetBranch: "main",
  metadata: { ci: "1234" },
  assignee: { kind: "member", userId: exampleIds.user, name: "Mia Member", imageUrl: null },
  createdBy: exampleIds.user,
  filedBy: null,
  prUrl: null,
  prNumber: null,
  prState: null,
  isBehind: false,
  latestChatJob: { id: exampleIds.job, status: "running", jobNumber: 1 },
  queue: { count: 0, paused: null },
  needsYouReason: null,
  needsYouSince: null,
  isSeen: null,
  sessionPath: exampleSessionPath,
  sessionUrl: `https://switchyard.example.com${exampleSessionPath}`,
  createdAt: exampleTimes.started,
  updatedAt: exampleTimes.running,
  startedAt: exampleTimes.started,
  endedAt: null,
};

export const sessionSchema = z
  .object({
    id: uuid.describe("The session's id."),
    projectId: uuid.describe("The id of its project."),
    title: z.string().describe("Its title."),
    titleSource: z
      .enum(titleSources)
      .describe("Where the title is from. Only a first line is replaced by a generated title."),
    prompt: z.string().nullable().describe("The first message of a Backlog session."),
    isPromptCut: z
      .boolean()
      .describe(
        `True where \`prompt\` is the first ${listedPromptCharacters} characters of a longer one, in lists and events. The read of one session has it whole.`,
      ),
    status: sessionStatusSchema.describe("The status of the session."),
    priority: prioritySchema.describe("How urgent it is."),
    model: z.string().nullable().describe("The model of its turns; null for the Assignee's default."),
    spendLimitUsd: z
      .number()
      .nullable()
      .describe("What it may cost the workspace, in US dollars; null for no limit of its own."),
    branch: z.string().nullable().describe("The session's branch; null in the Backlog."),
    targetBranch: z.string().describe("The branch that its pull request is merged into."),
    metadata: z.record(z.string(), z.string()).describe("Texts by keys, which programs have set."),
    assignee: assigneeSchema.nullable().describe("Who it is assigned to; null for nobody."),
    createdBy: z.string().nullable().describe("The id of the user who created it; null where none did."),
    filedBy: otherAuthorSchema.nullable().describe("What filed it; null for a member."),
    prUrl: z.string().nullable().describe("The address of its pull request; null while it has none."),
    prNumber: z.int().nullable().describe("The number of its pull request; null while it has none."),
    prState: z.enum(pullRequestStates).nullable().describe("The state of its pull request; null while it has none."),
    isBehind: z.boolean().describe("True when the branch lacks commits of the Target Branch."),
    latestChatJob: latestJobSchema.nullable().describe("Its newest job; null before its first turn."),
    queue: z
      .object({ count: z.int().describe("The number of waiting messages."), paused: pausedSchema })
      .describe("The state of Up next."),
    needsYouReason: z.enum(needsYouReasons).nullable().describe("The most severe reason to look at it."),
    needsYouSince: timestamp.nullable().describe("When the present reason began; null without one."),
    isSeen: z
      .boolean()
      .nullable()
      .describe(
        "True if you have seen the present reason. Null without one, in events, and in answers to changes: what you have read remains right while `needsYouSince` stays.",
      ),
    runtimeCommand: commandRunSchema.optional().describe("The newest runtime command; only when one session is read."),
    sessionPath: z.string().describe("The path of the session."),
    sessionUrl: z
      .string()
      .describe("The address of the session. A browser that opens it sees a page, which follows the session live."),
    createdAt: timestamp.describe("When it was created."),
    updatedAt: timestamp.describe("When it last changed."),
    startedAt: timestamp.nullable().describe("When it left the Backlog; null until then."),
    endedAt: timestamp.nullable().describe("When it was completed or archived; null until then."),
  })
  .meta({ id: "Session", description: "A chat session.", examples: [exampleSession] });

/** Converts a session. `seenMark` is the mark of the person who reads it. */
export function toWireSession(
  state: SessionState,
  publicUrl: string,
  seenMark?: number | null,
): z.infer<typeof sessionSchema> {
  return toWireView(toSessionView(state), publicUrl, seenMark);
}

export function toWireView(
  { summary, command }: SessionView,
  publicUrl: string,
  seenMark?: number | null,
): z.infer<typeof sessionSchema> {
  const shown = toWireSummary(summary, publicUrl, seenMark);
  return command === null ? shown : { ...shown, runtimeCommand: command };
}

/** Converts a list row of a session, in the format of a single session. */
export function toWireSummary(
  summary: SessionSummary,
  publicUrl: string,
  seenMark?: number | null,
): z.infer<typeof sessionSchema> {
  const { turn, waiting, pause, needsYou } = summary;
  const { workspaceId: _, sandboxKey: __, prBase: ___, ...session } = summary.session;
  const needsYouSince = findNeedsYouSince(needsYou, session);
  const sessionPath = formatSessionPath(session.projectId, session.id);
  return {
    ...session,
    // An event that an earlier version stored has no source.
    titleSource: session.titleSource ?? "person",
    latestChatJob: turn && { id: turn.id, status: turn.status, jobNumber: turn.number },
    queue: { count: waiting, paused: pause && { reason: pause.reason, pausedAt: formatTime(pause.pausedAt) } },
    needsYouReason: needsYou,
    needsYouSince: formatTimeOrNull(needsYouSince),
    isSeen: isReasonSeen(needsYouSince, seenMark),
    sessionPath,
    sessionUrl: publicUrl + sessionPath,
    createdAt: formatTime(session.createdAt),
    updatedAt: formatTime(session.updatedAt),
    startedAt: formatTimeOrNull(session.startedAt),
    endedAt: formatTimeOrNull(session.endedAt),
  };
}

const formatSessionPath = (projectId: string, sessionId: string) =>
  `/api/projects/${projectId}/chat-sessions/${sessionId}`;

export const messageMatchSchema = z
  .object({
    session: z
      .object({
        id: uuid.describe("The session's id."),
        projectId: uuid.describe("The id of its project."),
        title: z.string().describe("Its title."),
        status: sessionStatusSchema.describe("The status of the session."),
        sessionPath: z.string().describe("The path of the session."),
        sessionUrl: z.string().describe("The address of the session."),
      })
      .describe("The session of the message."),
    messageId: uuid.describe("The message."),
    jobId: uuid.describe("The job of its turn."),
    role: z.enum(["user", "assistant"]).describe("Who wrote it."),
    snippet: z.string().describe("The part of the message around the words."),
    marks: z.array(z.array(z.int()).length(2)).describe("The words in `snippet`, in UTF-16 units: `[from, to]`."),
    createdAt: timestamp.describe("When it was written."),
  })
  .meta({
    id: "MessageMatch",
    description: "A message that a search has found.",
    examples: [
      {
        session: {
          id: exampleIds.session,
          projectId: exampleIds.project,
          title: exampleSession.title,
          status: "active",
          sessionPath: exampleSessionPath,
          sessionUrl: exampleSession.sessionUrl,
        },
        messageId: exampleIds.message,
        jobId: exampleIds.job,
        role: "user",
        snippet: "Sort departures by time.",
        marks: [[5, 15]],
        createdAt: exampleTimes.started,
      },
    ],
  });

/** Converts a message that a search has found. */
export function toWireMessageMatch(match: MessageMatch, publicUrl: string): z.infer<typeof messageMatchSchema> {
  const { sessionId: id, projectId, title, status, snippet, createdAt, ...message } = match;
  const sessionPath = formatSessionPath(projectId, id);
  return {
    session: { id, projectId, title, status, sessionPath, sessionUrl: publicUrl + sessionPath },
    ...message,
    snippet: snippet.text,
    marks: snippet.marks,
    createdAt: formatTime(createdAt),
  };
}
