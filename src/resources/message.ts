// A message of the conversation on the wire, with the blocks of the agent's answers.
import * as z from "zod";
import type { Message } from "../../durable-objects/chat/conversation.ts";
import { attachmentOnWire, attachmentSchema } from "./attachment.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { blockSchema } from "./block.ts";
import { contextOnWire, contextSchema, hasContext } from "./message-context.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

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
    context: contextSchema.optional(),
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
    ...(hasContext(context) ? { context: contextOnWire(context) } : {}),
    createdAt: time(createdAt),
  };
}
