// A message of the conversation on the wire, with the blocks of the agent's answer.
import * as z from "zod";
import { exampleIds, exampleTimes } from "../../resources/example-values.ts";
import { time, timestamp, uuid } from "../../resources/wire-values.ts";
import { type Message, messageRoles } from "../rules/message.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { blockSchema } from "./block.ts";
import { attachmentOnWire, attachmentSchema, type ChatPlace } from "./message-attachment.ts";
import { contextOnWire, contextSchema, hasContext } from "./message-message-context.ts";

export const messageSchema = z
  .object({
    id: uuid.describe("The message's id."),
    role: z.enum(messageRoles).describe("Whether a user sent it, the agent answered, or the service says it."),
    content: z.string().nullable().describe("What a user wrote; null for the agent's answer, which is in `blocks`."),
    blocks: z
      .array(blockSchema)
      .describe("The parts of the agent's answer in their order; empty for a user's message."),
    jobId: uuid.describe("The id of the job that it belongs to."),
    delivery: z
      .enum(["job", "steer"])
      .nullable()
      .describe("Whether a user's message started the job or was steered into it; null for the agent's answer."),
    author: authorSchema.nullable().describe("Who sent it; null for the agent's answer."),
    attachments: z.array(attachmentSchema).describe("The files that came with it."),
    context: contextSchema.optional().describe("What its sender pointed at, where they did."),
    createdAt: timestamp.describe("When it was sent, or begun."),
  })
  .meta({
    id: "Message",
    description: "A message of the conversation: a user's, or the agent's answer in blocks.",
    examples: [
      {
        id: exampleIds.answer,
        role: "assistant",
        content: null,
        blocks: [{ type: "text", content: "The board is now sorted by time." }],
        jobId: exampleIds.job,
        delivery: null,
        author: null,
        attachments: [],
        createdAt: exampleTimes.later,
      },
    ],
  });

export function messageOnWire(place: ChatPlace, message: Message): z.infer<typeof messageSchema> {
  const { id, role, content, blocks, turnId, delivery, author, attachments, context, createdAt } = message;
  return {
    id,
    role,
    content,
    blocks,
    jobId: turnId,
    delivery,
    author: author && authorOnWire(author),
    attachments: attachments.map((attachment) => attachmentOnWire(place, attachment)),
    ...(hasContext(context) ? { context: contextOnWire(context) } : {}),
    createdAt: time(createdAt),
  };
}

/** The newest end of a conversation, for a page. */
export interface ShownConversation {
  /** Oldest first. `firstPlace` is the place of a message's first block here among the blocks of its turn. */
  messages: { message: z.infer<typeof messageSchema>; firstPlace: number }[];
  hasEarlier: boolean;
}
