// The schemas of live events: the data of each server-sent event, by event name.
import * as z from "zod";
import { exampleIds } from "../../resources/example-values.ts";
import { pausedSchema, sessionSchema } from "../../resources/session.ts";
import { timestamp, uuid } from "../../resources/wire-values.ts";
import { authorSchema } from "./author.ts";
import { blockSchema } from "./block.ts";
import { jobSchema, jobStatusSchema } from "./job.ts";
import { attachmentSchema } from "./message-attachment.ts";
import { contextSchema } from "./message-message-context.ts";

const jobId = uuid.describe("The id of the job that it belongs to.");
const messageId = uuid.describe("The id of the message that it belongs to.");
const index = z
  .int()
  .describe(
    "Counts the blocks of a turn, over all the messages that a steer splits its answer into; within a message it gives their order.",
  );

export const jobEvent = z
  .object({ job: jobSchema })
  .meta({ id: "JobEvent", description: "The data of a `job` event: a turn began or changed." });

export const blockEvent = z
  .object({
    jobId,
    messageId,
    role: z.enum(["user", "assistant"]).describe("`user` for a message that was sent, `assistant` for the answer."),
    index,
    block: blockSchema.describe("The block as a whole."),
    delivery: z
      .enum(["job", "steer"])
      .optional()
      .describe("With `role: user`: whether the message started the job or was steered into it."),
    author: authorSchema.optional().describe("With `role: user`: who sent the message."),
    attachments: z.array(attachmentSchema).optional().describe("With `role: user`: the files that came with it."),
    context: contextSchema.optional().describe("With `role: user`: what its sender pointed at, and chose."),
    createdAt: timestamp.optional().describe("With `role: user`: when it was sent."),
  })
  .meta({ id: "BlockEvent", description: "The data of a `block` event: a block appeared, or changed as a whole." });

export const deltaEvent = z
  .object({ jobId, messageId, index, delta: z.string().describe("What is added at the end of the block's `content`.") })
  .meta({
    id: "DeltaEvent",
    description: "The data of a `delta` event: a text block grew.",
    examples: [{ jobId: exampleIds.job, messageId: exampleIds.answer, index: 0, delta: " by time." }],
  });

const waitingMessage = z
  .object({
    id: uuid.describe("The waiting message's id."),
    position: z.int().describe("Its place in Up next, from 0."),
    version: z.int().describe("Goes up with every edit."),
  })
  .meta({
    id: "WaitingMessage",
    description: "A message that waits Up next, without its text.",
    examples: [{ id: exampleIds.queuedMessage, position: 0, version: 1 }],
  });

export const queueEvent = z
  .object({
    count: z.int().describe("How many messages wait."),
    paused: pausedSchema,
    messages: z.array(waitingMessage).describe("The waiting messages in their order, without their texts."),
  })
  .meta({ id: "QueueEvent", description: "The data of a `queue` event: Up next changed." });

const sessionEvent = z
  .object({ session: sessionSchema })
  .meta({ id: "SessionEvent", description: "The data of a `session` event: the session changed." });

export const turnEndEvent = z
  .object({
    jobId,
    status: jobStatusSchema.describe("How the turn ended."),
    error: z.string().nullable().describe("Why it failed, for people; null where it did not."),
    errorCode: z.string().nullable().describe("Why it failed, for programs; null where there is no code."),
  })
  .meta({
    id: "TurnEndEvent",
    description: "The data of an `end` event: a turn is over. The stream of one turn ends with it.",
    examples: [{ jobId: exampleIds.job, status: "completed", error: null, errorCode: null }],
  });

const sessionEndEvent = z
  .object({ deleted: z.literal(true) })
  .meta({ id: "SessionEndEvent", description: "The data of the last `end` event of a session: it was deleted." });

export const liveEventSchema = z
  .union([deltaEvent, blockEvent, jobEvent, queueEvent, sessionEvent, turnEndEvent, sessionEndEvent])
  .meta({
    id: "LiveEvent",
    description: [
      "The data of one server-sent event, as JSON. Each comes with an `id` and with its name in `event`:",
      "`job`, `queue`, `block`, `delta`, `session` or `end`. A client that sends the last id it saw as `Last-Event-ID` goes on there.",
    ].join(" "),
  });
