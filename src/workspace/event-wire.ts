// The events of a workspace's stream on the wire: activity as it is recorded, and sessions as lists
// show them.
import * as z from "zod";
import type { FeedEvent } from "../activity/queries.ts";
import { activityEventSchema, toWireActivityEvent } from "../activity/wire.ts";
import type { WireEvent } from "../chat/wire/live-event.ts";
import type { CronRow } from "../cron/queries/crons.ts";
import type { CronState } from "../cron/rules/cron.ts";
import { cronSchema, toWireCron } from "../cron/wire/cron.ts";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import type { ProjectRecord } from "../project/queries.ts";
import { toListedPrompt } from "../rules/listed-prompt.ts";
import type { SessionSummary } from "../session/rules/summary.ts";
import { sessionSchema, toWireSummary } from "../session/wire.ts";
import { projectSchema, toWireProject } from "./wire.ts";

export type WorkspaceEvent =
  | { type: "activity"; event: FeedEvent }
  | { type: "session-changed"; summary: SessionSummary }
  | { type: "session-deleted"; sessionId: string; projectId: string }
  | { type: "project-changed"; project: ProjectRecord }
  | { type: "project-deleted"; projectId: string }
  /** `zone` is the timezone of the workspace. */
  | { type: "cron-changed"; workspaceId: string; zone: string; cron: CronRow }
  | { type: "cron-deleted"; workspaceId: string; cronId: string }
  | { type: "members-changed"; workspaceId: string }
  /** Only the person who has seen it gets it. */
  | { type: "seen"; userId: string; sessionId: string; projectId: string; since: number };

/**
 * The path of a watch at the event object, which closes when its holder may no longer read. On any
 * other path, the object accepts a listener.
 */
export const watchPath = "/watch";
/**
 * In the response to a user whose streams were just ended: their access check may have passed
 * before that.
 */
export const justEndedHeader = "x-just-ended";

const activityEvent = z
  .object({ event: activityEventSchema })
  .meta({ id: "WorkspaceActivityEvent", description: "Something was recorded." });

const sessionEvent = z.object({ session: sessionSchema }).meta({
  id: "WorkspaceSessionEvent",
  description: "A session is new or changed.",
});

const deletedEvent = z
  .object({ projectId: uuid.describe("The project of the session."), sessionId: uuid.describe("The session.") })
  .meta({
    id: "WorkspaceDeletedEvent",
    description: "A session was deleted.",
    examples: [{ projectId: exampleIds.project, sessionId: exampleIds.session }],
  });

const projectEvent = z.object({ project: projectSchema }).meta({
  id: "WorkspaceProjectEvent",
  description: "A project is new or changed.",
});

const projectDeletedEvent = z.object({ projectId: uuid.describe("The project.") }).meta({
  id: "WorkspaceProjectDeletedEvent",
  description: "A project was deleted with its sessions.",
  examples: [{ projectId: exampleIds.project }],
});

const cronWorkspace = z.string().describe("The workspace of the cron.");

const cronEvent = z.object({ workspaceId: cronWorkspace, cron: cronSchema }).meta({
  id: "WorkspaceCronEvent",
  description: "A cron is new or changed.",
});

const cronDeletedEvent = z.object({ workspaceId: cronWorkspace, cronId: uuid.describe("The cron.") }).meta({
  id: "WorkspaceCronDeletedEvent",
  description: "A cron was deleted.",
  examples: [{ workspaceId: exampleIds.workspace, cronId: exampleIds.cron }],
});

const membersEvent = z.object({ workspaceId: z.string().describe("The workspace.") }).meta({
  id: "WorkspaceMembersEvent",
  description: "Members, their roles or invitations changed. Read them again.",
  examples: [{ workspaceId: exampleIds.workspace }],
});

const seenEvent = z
  .object({
    projectId: uuid.describe("The project of the session."),
    sessionId: uuid.describe("The session."),
    since: timestamp.describe("The newest `needsYouSince` that you have seen."),
  })
  .meta({
    id: "WorkspaceSeenEvent",
    description: "You have seen a session's reason. Only you get this event.",
    examples: [{ projectId: exampleIds.project, sessionId: exampleIds.session, since: exampleTimes.later }],
  });

const resetEvent = z.object({}).meta({
  id: "WorkspaceResetEvent",
  description: "Earlier events are not sent. Read the lists now; later events are sent.",
  examples: [{}],
});

const events = {
  activity: activityEvent,
  session: sessionEvent,
  deleted: deletedEvent,
  project: projectEvent,
  project_deleted: projectDeletedEvent,
  cron: cronEvent,
  cron_deleted: cronDeletedEvent,
  members: membersEvent,
  seen: seenEvent,
  reset: resetEvent,
};

export const workspaceEventsSchema = z
  .object(events)
  .meta({ id: "WorkspaceEvents", description: "The data of the events of a workspace's stream, by their names." });

export const workspaceEventSchema = z.union(Object.values(events)).meta({
  id: "WorkspaceEvent",
  description: [
    "The data of one server-sent event, as JSON. Each comes with an `id` and with its name in `event`:",
    "`activity`, `session`, `deleted`, `project`, `project_deleted`, `cron`, `cron_deleted`, `members`, `seen` or `reset`. A client that sends the last id it saw as `Last-Event-ID` continues there.",
  ].join(" "),
});

/** The event of a cron as lists show it, with the start of its prompt. */
export function toCronChanged(
  { workspaceId, zone }: Pick<CronState["cron"], "workspaceId" | "zone">,
  row: CronRow,
): Extract<WorkspaceEvent, { type: "cron-changed" }> {
  return { type: "cron-changed", workspaceId, zone, cron: { ...row, ...toListedPrompt(row) } };
}

/** The only person who gets an event; null for an event that every listener gets. */
export const findOnlyReader = (event: WorkspaceEvent): string | null => (event.type === "seen" ? event.userId : null);

/** `userId` is the listener, for whom their own actions are not New. */
export function toWireWorkspaceEvent(
  event: WorkspaceEvent,
  { userId, publicUrl, now }: { userId: string; publicUrl: string; now: number },
): WireEvent {
  switch (event.type) {
    case "activity":
      return {
        event: "activity",
        data: { event: toWireActivityEvent(event.event, userId, publicUrl) },
      };
    case "session-changed":
      return { event: "session", data: { session: toWireSummary(event.summary, publicUrl) } };
    case "session-deleted":
      return { event: "deleted", data: { projectId: event.projectId, sessionId: event.sessionId } };
    case "project-changed":
      return { event: "project", data: { project: toWireProject(event.project) } };
    case "project-deleted":
      return { event: "project_deleted", data: { projectId: event.projectId } };
    case "cron-changed": {
      const { workspaceId, zone, cron } = event;
      return { event: "cron", data: { workspaceId, cron: toWireCron(cron, zone, now) } };
    }
    case "cron-deleted":
      return { event: "cron_deleted", data: { workspaceId: event.workspaceId, cronId: event.cronId } };
    case "members-changed":
      return { event: "members", data: { workspaceId: event.workspaceId } };
    case "seen": {
      const { projectId, sessionId, since } = event;
      return { event: "seen", data: { projectId, sessionId, since: formatTime(since) } };
    }
  }
}
