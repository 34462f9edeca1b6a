// An activity event on the wire.
import * as z from "zod";
import { exampleIds, exampleSessionPath, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import { activityPageSizeDefault } from "../rules/limits.ts";
import type { FeedEvent } from "./queries.ts";
import { activityKinds } from "./rules/activity.ts";
import { getCategory, isNew } from "./rules/feed.ts";
import { formatActivity } from "./rules/text.ts";

const actorSchema = z
  .object({
    id: z.string().describe("The member's user id."),
    name: z.string().describe("The member's name."),
    imageUrl: z.string().nullable().describe("The member's picture; null where they have none."),
  })
  .meta({ id: "ActivityActor", description: "The member who did something." });

const sourceSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("lead") }).describe("The Lead."),
    z
      .object({
        kind: z.literal("mcp"),
        client: z.string().nullable().describe("The name that the program gives itself."),
      })
      .describe("An agent outside of the service, over MCP."),
    z.object({ kind: z.literal("session"), sessionId: uuid.describe("The session.") }).describe("A session's agent."),
    z
      .object({
        kind: z.literal("cron"),
        cronId: z.string().describe("The cron."),
        runId: z.string().describe("Its run."),
      })
      .describe("A cron's run."),
  ])
  .meta({ id: "ActivitySource", description: "The agent that acted for a member." });

export const activityEventSchema = z
  .object({
    id: uuid.describe("The event's id."),
    workspaceId: z.string().describe("The id of its workspace."),
    workspaceName: z.string().describe("The name of its workspace."),
    projectId: uuid.nullable().describe("The id of its project; null where it is of the workspace."),
    projectName: z.string().nullable().describe("The project's name at that time."),
    chatSessionId: uuid.nullable().describe("The id of its session; null where it is of none."),
    sessionUrl: z.string().nullable().describe("The address of the session; null once that is deleted."),
    sessionPath: z.string().nullable().describe("The path of the session; null once that is deleted."),
    actor: actorSchema.nullable().describe("The member who did it; null on a change."),
    kind: z.enum(activityKinds).describe("What happened."),
    category: z.enum(["change", "action"]).describe("`change`: the service observed it."),
    text: z.string().describe("The event in one line."),
    subject: z.string().nullable().describe("The session's title or the cron's name at that time."),
    payload: z.record(z.string(), z.unknown()).describe("More about it. Its fields depend on the kind."),
    source: sourceSchema.nullable().describe("The agent that acted for the actor."),
    createdAt: timestamp.describe("When it was recorded."),
    isNew: z.boolean().describe("True if it is New to you."),
  })
  .meta({
    id: "ActivityEvent",
    description: "What a member did, or what the service observed.",
    examples: [
      {
        id: exampleIds.message,
        workspaceId: exampleIds.workspace,
        workspaceName: "Switchyard Demo",
        projectId: exampleIds.project,
        projectName: "departures",
        chatSessionId: exampleIds.session,
        sessionUrl: `https://switchyard.example.com${exampleSessionPath}`,
        sessionPath: exampleSessionPath,
        actor: { id: exampleIds.user, name: "Mia Member", imageUrl: null },
        kind: "session_priority_changed",
        category: "action",
        text: "Mia Member changed the priority of “Fix the board” from none to high",
        subject: "Fix the board",
        payload: { from: "none", to: "high" },
        source: null,
        createdAt: exampleTimes.later,
        isNew: true,
      },
    ],
  });

/** The position of a feed's page in the whole feed. */
const feedPaginationSchema = z
  .object({
    pageSize: z.int().describe("The number of events on a page."),
    total: z.int().describe("The number of events on all pages. For New events, as before this call."),
    hasMore: z.boolean().describe("True when another page follows."),
    nextCursor: z.string().nullable().describe("The `cursor` of the next page; null after the last."),
  })
  .meta({
    id: "FeedPagination",
    description: "The position of a page in the feed.",
    examples: [{ pageSize: activityPageSizeDefault, total: 1, hasMore: false, nextCursor: null }],
  });

const feedWorkspaceSchema = z
  .object({ id: z.string().describe("The workspace's id."), name: z.string().describe("The name for people.") })
  .meta({
    id: "FeedWorkspace",
    description: "A workspace of the caller.",
    examples: [{ id: exampleIds.workspace, name: "Switchyard Demo" }],
  });

export const feedMetaSchema = z
  .object({
    pagination: feedPaginationSchema,
    workspaces: z.array(feedWorkspaceSchema).describe("The workspaces of the caller, by name."),
  })
  .describe("Metadata of the list.");

export function toWireActivityEvent(
  event: FeedEvent,
  userId: string,
  publicUrl: string,
): z.infer<typeof activityEventSchema> {
  const { projectId, sessionId, isSessionThere, actorId, actorName, kind, subject, payload } = event;
  const sessionPath = isSessionThere ? `/api/projects/${projectId}/chat-sessions/${sessionId}` : null;
  return {
    id: event.id,
    workspaceId: event.workspaceId,
    workspaceName: event.workspaceName,
    projectId,
    projectName: event.projectName,
    chatSessionId: sessionId,
    sessionUrl: sessionPath && publicUrl + sessionPath,
    sessionPath,
    actor: actorId === null ? null : { id: actorId, name: actorName ?? "", imageUrl: event.actorImageUrl },
    kind,
    category: getCategory(kind),
    text: formatActivity({ kind, actorName, subject, payload }),
    subject,
    payload,
    source: event.source?.kind === "mcp" ? { kind: "mcp", client: event.source.client ?? null } : event.source,
    createdAt: formatTime(event.createdAt),
    isNew: isNew(event, { userId, seenSeq: event.seenSeq }),
  };
}
