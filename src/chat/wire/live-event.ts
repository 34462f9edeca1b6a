// Live events on the wire: converts the events of a chat and of its owner to server-sent events.

import * as z from "zod";
import { exampleIds, formatTime, timestamp, uuid } from "../../lib/wire.ts";
import type { PullRequestChanged, SessionChanged } from "../../session/rules/live-event.ts";
import { pausedSchema, sessionSchema, toWireView } from "../../session/wire.ts";
import type { Block } from "../rules/block.ts";
import type { NewMessage } from "../rules/chat.ts";
import type { ChatEvent, PrintedOutput } from "../rules/live-event.ts";
import { authorSchema, toWireAuthor } from "./author.ts";
import { blockSchema } from "./block.ts";
import { editingSchema, toWireEditing } from "./editing.ts";
import { jobErrorCodeSchema, jobSchema, jobStatusSchema, toWireJob } from "./job.ts";
import { attachmentSchema, contextSchema, hasContext, toWireAttachment, toWireContext } from "./message.ts";

/**
 * A subscriber requests the next batch with `more`. The object sends `live` once there are no
 * earlier events left.
 */
export const moreFrame = "more";
export const liveFrame = "live";

const outputEventName = "output";

export interface WireEvent {
  event: string;
  data: unknown;
}

type Place = Parameters<typeof toWireAttachment>[0];

/** Converts an event of a chat. `place` is for the URLs of its attachments. */
export function toWireChatEvent(event: ChatEvent, place: Place): WireEvent {
  switch (event.type) {
    case "turn":
      return { event: "job", data: { job: toWireJob(event.turn) } };
    case "turn-ended":
      return { event: "end", data: { jobId: event.turnId, ...event.turn } };
    case "message":
      return { event: "block", data: messageData(event.message, place) };
    case "answer-block": {
      const { turnId: jobId, messageId, place: index, block } = event;
      return { event: "block", data: { jobId, messageId, role: "assistant", index, block } };
    }
    case "answer-text": {
      const { turnId: jobId, messageId, place: index, delta, at } = event;
      return { event: "delta", data: { jobId, messageId, index, delta, ...(at !== undefined && { at }) } };
    }
    case "up-next": {
      const { messages, pause, steers } = event;
      const paused = pause && { reason: pause.reason, pausedAt: formatTime(pause.pausedAt) };
      const placed = messages.map(({ id, version, editing = null }, position) => ({
        ...{ id, position, version },
        editingBy: toWireEditing(editing),
      }));
      return { event: "queue", data: { count: messages.length, paused, messages: placed, ...(steers && { steers }) } };
    }
    case "system-message": {
      const { id: messageId, about: deployJobId, content, createdAt } = event.message;
      const block: Block = { type: "text", content };
      return {
        event: "block",
        data: { deployJobId, messageId, role: "system", index: 0, block, createdAt: formatTime(createdAt) },
      };
    }
    case "deleted":
      return { event: "end", data: { deleted: true } };
  }
}

/** Converts what a running tool has printed. */
export function toWireOutput({ turnId: jobId, messageId, place: index, at, text }: PrintedOutput): WireEvent {
  return { event: outputEventName, data: { jobId, messageId, index, at, text } };
}

/** An event of a session's stream. */
export type SessionLiveEvent = ChatEvent | SessionChanged | PullRequestChanged;

/** Converts an event of a session. */
export function toWireSessionEvent(event: SessionLiveEvent, place: Place, publicUrl: string): WireEvent {
  if (event.type === "pull-request-changed") return { event: "pull_request", data: { number: event.number } };
  if (event.type !== "session-changed") return toWireChatEvent(event, place);
  const { summary, command } = event.view;
  return { event: "session", data: { session: toWireView({ summary, command }, publicUrl) } };
}

/** A user's message: its text as a block, its attachments and its context. */
function messageData(message: NewMessage, place: Place) {
  const { id, turnId, content, delivery, author, attachments, context, createdAt } = message;
  const block: Block = { type: "text", content };
  return {
    jobId: turnId,
    messageId: id,
    role: "user",
    index: 0,
    block,
    delivery,
    author: toWireAuthor(author),
    attachments: attachments.map((attachment) => toWireAttachment(place, attachment)),
    ...(hasContext(context) ? { context: toWireContext(context) } : {}),
    createdAt: formatTime(createdAt),
  };
}

/**
 * Formats a server-sent event. The data is JSON, which contains no line breaks. An event without an
 * id leaves the place at which its client continues as it was.
 */
export function formatEvent({ id, event, data }: { id: number | string | null; event: string; data: string }): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** True for a text that consists of events without ids, which a reader can do without. */
export function isWithoutId(text: string): boolean {
  return text.startsWith("event: ");
}

const jobId = uuid.describe("The id of the job that it belongs to.");
const messageId = uuid.describe("The id of the message that it belongs to.");
const index = z.int().meta({
  id: "BlockIndex",
  description: "The number of a block in its turn.",
});

/** The schemas of live events: the data of each server-sent event, by event name. */
export const jobEvent = z.object({ job: jobSchema }).meta({ id: "JobEvent", description: "A turn began or changed." });

export const blockEvent = z
  .object({
    jobId,
    messageId,
    role: z.enum(["user", "assistant"]).describe("`user`: it was sent; `assistant`: the answer."),
    index,
    block: blockSchema.describe("The block as a whole."),
    delivery: z
      .enum(["job", "steer"])
      .optional()
      .describe("Of a user: whether it started the job or was steered into it."),
    author: authorSchema.optional().describe("Of a user: who sent it."),
    attachments: z.array(attachmentSchema).optional().describe("Of a user: its files."),
    context: contextSchema.optional().describe("Of a user: what came with it."),
    createdAt: timestamp.optional().describe("Of a user: when it was sent."),
  })
  .meta({ id: "BlockEvent", description: "A block is new or changed." });

export const deltaEvent = z
  .object({
    jobId,
    messageId,
    index,
    delta: z.string().describe("The text that is appended to `content`."),
    at: z
      .int()
      .optional()
      .describe("How long `content` was before, in UTF-16 units. A client with another length reads the block again."),
  })
  .meta({
    id: "DeltaEvent",
    description: "A text block grew.",
    examples: [{ jobId: exampleIds.job, messageId: exampleIds.answer, index: 0, delta: " by time.", at: 23 }],
  });

export const outputEvent = z
  .object({
    jobId,
    messageId,
    index,
    at: z.int().describe("The length of the output before `text`, in UTF-16 units."),
    text: z.string().describe("The last 32 KiB that it printed."),
  })
  .meta({
    id: "OutputEvent",
    description: [
      "A running tool printed something. It has no `id`, and comes only while it happens.",
      "Add `text` to what you show where `at` says that nothing is missing between; else show it instead. The tool's block replaces it.",
    ].join(" "),
    examples: [{ jobId: exampleIds.job, messageId: exampleIds.answer, index: 1, at: 240, text: "✓ board.test.js\n" }],
  });

const waitingMessage = z
  .object({
    id: uuid.describe("The waiting message's id."),
    position: z.int().describe("Its place in Up next, from 0."),
    version: z.int().describe("Increases with every edit."),
    editingBy: editingSchema,
  })
  .meta({
    id: "WaitingMessage",
    description: "A message that waits Up next, without its text.",
    examples: [{ id: exampleIds.queuedMessage, position: 0, version: 1, editingBy: null }],
  });

export const queueEvent = z
  .object({
    count: z.int().describe("The number of waiting messages."),
    paused: pausedSchema,
    messages: z.array(waitingMessage).describe("The waiting messages, without their texts."),
    steers: z.array(uuid).optional().describe("The ids of the steers that the turn has not taken yet."),
  })
  .meta({ id: "QueueEvent", description: "Up next changed." });

const sessionEvent = z
  .object({ session: sessionSchema })
  .meta({ id: "SessionEvent", description: "The session changed." });

const pullRequestEvent = z.object({ number: z.int().describe("The pull request's number.") }).meta({
  id: "PullRequestEvent",
  description: "The pull request or its checks changed at the code host. Read it again.",
  examples: [{ number: 12 }],
});

export const turnEndEvent = z
  .object({
    jobId,
    status: jobStatusSchema.describe("How the turn ended."),
    error: z.string().nullable().describe("Why it failed, for people; null where it did not."),
    errorCode: jobErrorCodeSchema.nullable().describe("Why it failed, for programs; null where there is no code."),
  })
  .meta({
    id: "TurnEndEvent",
    description: "A turn ended. The stream of one turn ends with it.",
    examples: [{ jobId: exampleIds.job, status: "completed", error: null, errorCode: null }],
  });

const sessionEndEvent = z
  .object({ deleted: z.literal(true) })
  .meta({ id: "SessionEndEvent", description: "The session was deleted." });

export const resetEventSchema = z.object({}).meta({
  id: "ResetEvent",
  description: "Earlier events are not sent. What follows is the present state of the newest turn; read the rest.",
  examples: [{}],
});

export const sessionEventsSchema = z
  .object({
    job: jobEvent,
    block: blockEvent,
    delta: deltaEvent,
    output: outputEvent,
    queue: queueEvent,
    session: sessionEvent,
    pull_request: pullRequestEvent,
    reset: resetEventSchema,
    end: z.union([turnEndEvent, sessionEndEvent]).describe("A turn ended, or the session was deleted."),
  })
  .meta({ id: "SessionEvents", description: "The data of the events of a session's stream, by their names." });

/** The events of one turn, and of a cron run, which is one turn. */
export const turnEventsSchema = z
  .object({
    job: jobEvent,
    block: blockEvent,
    delta: deltaEvent,
    output: outputEvent,
    reset: resetEventSchema,
    end: turnEndEvent,
  })
  .meta({ id: "TurnEvents", description: "The data of the events of one turn's stream, by their names." });

export const liveEventSchema = z
  .union([
    deltaEvent,
    outputEvent,
    blockEvent,
    jobEvent,
    queueEvent,
    sessionEvent,
    pullRequestEvent,
    turnEndEvent,
    sessionEndEvent,
    resetEventSchema,
  ])
  .meta({
    id: "LiveEvent",
    description: [
      "The data of one server-sent event, as JSON. Each comes with its name in `event`, and all but `output` with an `id`:",
      "`job`, `queue`, `block`, `delta`, `output`, `session`, `pull_request`, `reset` or `end`. A client that sends the last id it saw as `Last-Event-ID` continues there.",
    ].join(" "),
  });
