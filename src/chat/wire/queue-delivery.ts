// The delivery of a sent message on the wire.
import * as z from "zod";
import { exampleIds } from "../../resources/example-values.ts";
import { uuid } from "../../resources/wire-values.ts";
import { messageContentCharacters } from "../../rules/limits.ts";
import type { Delivery } from "../rules/send.ts";

export const messageContent = z.string().max(messageContentCharacters);

export const jobDeliverySchema = z
  .object({
    delivery: z.literal("job").describe("The message started a turn."),
    chatJobId: uuid.describe("The id of the turn's job; it is the id of its event stream too."),
    jobNumber: z.int().describe("The number of the job within the session."),
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
  })
  .meta({
    id: "SteerDelivery",
    description: "The message was steered into the running turn, which goes on with it.",
    examples: [{ delivery: "steer", steerId: exampleIds.queuedMessage }],
  });

export const deliverySchema = z
  .discriminatedUnion("delivery", [jobDeliverySchema, queuedDeliverySchema])
  .meta({ id: "Delivery", description: "What became of a message; `delivery` says which." });

export function deliveryOnWire(delivery: Delivery): z.infer<typeof deliverySchema> {
  if (delivery.delivery === "queued") return delivery;
  return { delivery: "job", chatJobId: delivery.turnId, jobNumber: delivery.turnNumber };
}
