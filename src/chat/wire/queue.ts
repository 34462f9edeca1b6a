// Up next on the wire: the waiting messages in the order of their delivery, and the reason for a
// pause.
import * as z from "zod";
import { type Actor, getStanding } from "../../access/rules/actor.ts";
import { checkStanding } from "../../access/rules/permission-table.ts";
import {
  exampleAuthor,
  exampleIds,
  exampleTimes,
  formatTime,
  timestamp,
  uuid,
  wellFormedText,
} from "../../lib/wire.ts";
import { messageContentCharacters } from "../../rules/limits.ts";
import { pausedSchema } from "../../session/wire.ts";
import type { ChatState } from "../rules/chat.ts";
import type { QueuedMessage } from "../rules/queue.ts";
import type { Delivery } from "../rules/send.ts";
import { checkSteer } from "../rules/steer.ts";
import { isUnfinished } from "../rules/turn.ts";
import { authorSchema, toWireAuthor } from "./author.ts";
import { editingSchema, toWireEditing } from "./editing.ts";
import { attachmentSchema, type ChatPlace, contextSchema, toWireAttachment, toWireContext } from "./message.ts";

const queuedMessageSchema = z
  .object({
    id: uuid.describe("The waiting message's id."),
    content: z.string().describe("Its text."),
    position: z.int().describe("Its place in Up next, from 0."),
    author: authorSchema.describe("Who sent it."),
    attachments: z.array(attachmentSchema).describe("The files that came with it."),
    context: contextSchema,
    version: z.int().describe("Increases with every edit. An edit of an older version is refused."),
    editingBy: editingSchema,
    can: z
      .object({
        edit: z.boolean().describe("Whether they may edit it."),
        move: z.boolean().describe("Whether they may move it."),
        steer: z.boolean().describe("Whether they may steer it into the running turn."),
        delete: z.boolean().describe("Whether they may delete it."),
      })
      .describe("What the caller may do with it."),
    createdAt: timestamp.describe("When it was sent."),
  })
  .meta({
    id: "QueuedMessage",
    description: "A message that waits Up next.",
    examples: [
      {
        id: exampleIds.queuedMessage,
        content: "Then show platform changes.",
        position: 0,
        author: exampleAuthor,
        attachments: [],
        context: {},
        version: 1,
        editingBy: null,
        can: { edit: true, move: true, steer: true, delete: true },
        createdAt: exampleTimes.later,
      },
    ],
  });

const waitingSteerSchema = z
  .object({
    steerId: uuid.describe("The steer's id."),
    content: z.string().describe("Its text."),
    author: authorSchema.describe("Who sent it."),
  })
  .meta({
    id: "WaitingSteer",
    description: "A steer that the running turn has not taken yet.",
    examples: [{ steerId: exampleIds.queuedMessage, content: "Without sounds.", author: exampleAuthor }],
  });

export const queueSchema = z
  .object({
    messages: z.array(queuedMessageSchema).describe("The waiting messages in their order."),
    paused: pausedSchema,
    steers: z.array(waitingSteerSchema).optional().describe("The steers that the running turn has not taken yet."),
  })
  .meta({ id: "Queue", description: "Up next: the messages that wait." });

/**
 * The messages of Up next, its pause, the running turn that they may steer, and the chat for the
 * URLs of their attachments.
 */
export interface QueueState {
  chat: Pick<ChatState, "upNext" | "pause" | "turn" | "steers">;
  place: ChatPlace;
}

/** Converts Up next for a viewer. `can` lists the viewer's permitted actions. */
export function toWireQueue(state: QueueState, viewer: Actor, now: number): z.infer<typeof queueSchema> {
  const { upNext, pause, steers } = state.chat;
  const untaken = steers.map(({ steerId, message: { content, author } }) => ({
    steerId,
    content,
    author: toWireAuthor(author),
  }));
  return {
    messages: upNext.map((message, position) => toWireQueuedMessage(state, message, position, viewer, now)),
    paused: pause && { reason: pause.reason, pausedAt: formatTime(pause.pausedAt) },
    ...(untaken.length > 0 && { steers: untaken }),
  };
}

function toWireQueuedMessage(
  { place, chat: { turn } }: QueueState,
  message: QueuedMessage,
  position: number,
  viewer: Actor,
  now: number,
): z.infer<typeof queuedMessageSchema> {
  const { id, content, author, attachments, context, version, editing, createdAt } = message;
  const standing = getStanding(author, viewer);
  const mayChange = checkStanding("up-next.change", standing) === null;
  const isDeployChat = place.id === undefined;
  const canSteer = isUnfinished(turn) && checkSteer(turn, message, { by: viewer, intoAny: isDeployChat }) === null;
  return {
    id,
    content,
    position,
    author: toWireAuthor(author),
    attachments: attachments.map((attachment) => toWireAttachment(place, attachment)),
    context: toWireContext(context),
    version,
    editingBy: toWireEditing(editing && editing.until > now ? editing : null),
    can: {
      edit: mayChange,
      move: mayChange,
      steer: mayChange && canSteer,
      delete: checkStanding("up-next.delete", standing) === null,
    },
    createdAt: formatTime(createdAt),
  };
}

export const messageContent = wellFormedText(messageContentCharacters);

const noticeField = z.string().optional().describe("A hint, such as that a skill does not exist.");

export const jobDeliverySchema = z
  .object({
    delivery: z.literal("job").describe("The message started a turn."),
    chatJobId: uuid.describe("The id of the turn's job and event stream."),
    jobNumber: z.int().describe("The number of the job within the session."),
    notice: noticeField,
  })
  .meta({
    id: "JobDelivery",
    description: "The message started a turn.",
    examples: [{ delivery: "job", chatJobId: exampleIds.job, jobNumber: 1 }],
  });

const queuedDeliverySchema = z
  .object({
    delivery: z.literal("queued").describe("A turn is running, and the message waits Up next."),
    queuedMessageId: uuid.describe("The id of the waiting message."),
    notice: noticeField,
  })
  .meta({
    id: "QueuedDelivery",
    description: "The message waits Up next.",
    examples: [{ delivery: "queued", queuedMessageId: exampleIds.queuedMessage }],
  });

export const steerDeliverySchema = z
  .object({
    delivery: z.literal("steer").describe("The message was steered into the running turn."),
    steerId: uuid.describe("The id of the steer."),
    notice: noticeField,
  })
  .meta({
    id: "SteerDelivery",
    description: "The message was steered into the running turn.",
    examples: [{ delivery: "steer", steerId: exampleIds.queuedMessage }],
  });

type DeliveryOnWire = z.infer<typeof jobDeliverySchema> | z.infer<typeof queuedDeliverySchema>;

export const sentSchema = z
  .discriminatedUnion("delivery", [jobDeliverySchema, queuedDeliverySchema, steerDeliverySchema])
  .meta({
    id: "Delivery",
    description: "The delivery of a message. It is `steer` only where the send asked for that.",
  });

export function toWireDelivery(delivery: Delivery): DeliveryOnWire {
  if (delivery.delivery === "queued") return delivery;
  return { delivery: "job", chatJobId: delivery.turnId, jobNumber: delivery.turnNumber };
}
