// Up next on the wire: the waiting messages in the order they will be sent, and why they wait longer than the running turn.
import * as z from "zod";
import type { SessionState } from "../rules/session.ts";
import type { QueuedMessage } from "../rules/up-next.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { pausedSchema } from "./session.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

const queuedMessageSchema = z.object({
  id: uuid,
  content: z.string(),
  position: z.int(),
  author: authorSchema,
  attachments: z.array(z.unknown()),
  version: z.int(),
  createdAt: timestamp,
});

export const queueSchema = z
  .object({ messages: z.array(queuedMessageSchema), paused: pausedSchema })
  .meta({ description: "Up next." });

export function queueOnWire({ upNext, pause }: SessionState): z.infer<typeof queueSchema> {
  return {
    messages: upNext.map(queuedMessageOnWire),
    paused: pause && { reason: pause.reason, pausedAt: time(pause.pausedAt) },
  };
}

function queuedMessageOnWire(message: QueuedMessage, position: number): z.infer<typeof queuedMessageSchema> {
  const { id, content, author, version, createdAt } = message;
  return { id, content, position, author: authorOnWire(author), attachments: [], version, createdAt: time(createdAt) };
}
