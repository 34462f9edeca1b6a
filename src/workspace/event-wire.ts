// The events of a workspace's stream on the wire: activity as it is recorded, and sessions as lists
// show them.
import * as z from "zod";
import type { FeedEvent } from "../activity/queries.ts";
import { activityEventSchema, toWireActivityEvent } from "../activity/wire.ts";
import type { WireEvent } from "../chat/wire/live-event.ts";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import type { SessionSummary } from "../session/rules/summary.ts";
import { sessionSchema, toWireSummary } from "../session/wire.ts";

export type WorkspaceEvent =
  | { type: "activity"; event: FeedEvent }
  | { type: "session-changed"; summary: SessionSummary }
  | { type: "session-deleted"; sessionId: string; projectId: string }
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
  .meta({ id: "WorkspaceActivityEvent", description: "The data of an `activity` event: something was recorded." });

const sessionEvent = z.object({ session: sessionSchema }).meta({
  id: "WorkspaceSessionEvent",
  description: "The data of a `session` event: a session began, or changed in what lists show.",
});

const deletedEvent = z
  .object({ projectId: uuid.describe("The project of the session."), sessionId: uuid.describe("The session.") })
  .meta({
    id: "WorkspaceDeletedEvent",
    description: "The data of a `deleted` event: a session was deleted.",
    examples: [{ projectId: exampleIds.project, sessionId: exampleIds.session }],
  });

const seenEvent = z
  .object({
    projectId: uuid.describe("The project of the session."),
    sessionId: uuid.describe("The session."),
    since: timestamp.describe("The newest `needsYouSince` of the session that you have seen."),
  })
  .meta({
    id: "WorkspaceSeenEvent",
    description: "The data of a `seen` event: you have seen why a session needs somebody. Nobody else gets it.",
    examples: [{ projectId: exampleIds.project, sessionId: exampleIds.session, since: exampleTimes.later }],
  });

const resetEvent = z.object({}).meta({
  id: "WorkspaceResetEvent",
  description: "The data of a `reset` event: earlier events are not sent. Read the lists now; later events are sent.",
  examples: [{}],
});

export const workspaceEventsSchema = z
  .object({ activity: activityEvent, session: sessionEvent, deleted: deletedEvent, seen: seenEvent, reset: resetEvent })
  .meta({ id: "WorkspaceEvents", description: "The data of the events of a workspace's stream, by their names." });

export const workspaceEventSchema = z.union([activityEvent, sessionEvent, deletedEvent, seenEvent, resetEvent]).meta({
  id: "WorkspaceEvent",
  description: [
    "The data of one server-sent event, as JSON. Each comes with an `id` and with its name in `event`:",
    "`activity`, `session`, `deleted`, `seen` or `reset`. A client that sends the last id it saw as `Last-Event-ID` continues there.",
  ].join(" "),
});

/** The only person who gets an event; null for an event that every listener gets. */
export const findOnlyReader = (told: WorkspaceEvent): string | null => (told.type === "seen" ? told.userId : null);

/** `userId` is the listener, for whom their own actions are not New. */
export function toWireWorkspaceEvent(told: WorkspaceEvent, userId: string, publicUrl: string): WireEvent {
  switch (told.type) {
    case "activity":
      return {
        event: "activity",
        data: { event: toWireActivityEvent(told.event, userId, publicUrl) },
      };
    case "session-changed":
      return { event: "session", data: { session: toWireSummary(told.summary, publicUrl) } };
    case "session-deleted":
      return { event: "deleted", data: { projectId: told.projectId, sessionId: told.sessionId } };
    case "seen": {
      const { projectId, sessionId, since } = told;
      return { event: "seen", data: { projectId, sessionId, since: formatTime(since) } };
    }
  }
}
