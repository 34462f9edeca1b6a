// A message of the conversation on the wire, with the blocks of the agent's answers.
import * as z from "zod";
import type { Message } from "../../durable-objects/conversation.ts";
import { planItemStatuses, toolStatuses } from "../rules/block.ts";
import { attachmentOnWire, attachmentSchema } from "./attachment.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { contextOnWire, contextSchema } from "./message-context.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

const optionSchema = z.object({ title: z.string(), description: z.string(), isRecommended: z.boolean() });
const questionSchema = z.object({ topic: z.string(), question: z.string(), options: z.array(optionSchema) });

const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), content: z.string() }),
  z.object({
    type: z.literal("plan"),
    items: z.array(z.object({ title: z.string(), status: z.enum(planItemStatuses) })),
  }),
  z.object({
    type: z.literal("tool"),
    name: z.string(),
    title: z.string(),
    input: z.unknown(),
    output: z.string().nullable(),
    fullOutputBytes: z.int().nullable().default(null),
    status: z.enum(toolStatuses),
    startedAt: timestamp,
    completedAt: timestamp.nullable(),
  }),
  z.object({
    type: z.literal("filed_sessions"),
    sessions: z.array(z.object({ sessionId: uuid, projectId: uuid, title: z.string() })),
  }),
  z.object({ type: z.literal("clarification"), clarificationData: z.object({ questions: z.array(questionSchema) }) }),
]);

/** Where the message is, for the addresses of its files. */
type SessionPlace = { id: string; projectId: string };

export const messageSchema = z
  .object({
    id: uuid,
    role: z.enum(["user", "assistant"]),
    content: z.string().nullable(),
    blocks: z.array(blockSchema),
    jobId: uuid,
    delivery: z.enum(["job", "steer"]).nullable(),
    author: authorSchema.nullable(),
    attachments: z.array(attachmentSchema),
    context: contextSchema,
    createdAt: timestamp,
  })
  .meta({ description: "A message of the conversation: a user's, or the agent's answer in blocks." });

export function messageOnWire(session: SessionPlace, message: Message): z.infer<typeof messageSchema> {
  const { id, role, content, blocks, turnId, delivery, author, attachments, context, createdAt } = message;
  return {
    id,
    role,
    content,
    blocks,
    jobId: turnId,
    delivery,
    author: author && authorOnWire(author),
    attachments: attachments.map((attachment) => attachmentOnWire(session, attachment)),
    context: contextOnWire(context),
    createdAt: time(createdAt),
  };
}
