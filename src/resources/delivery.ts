// What becomes of a sent message, on the wire.
import * as z from "zod";
import { messageContentCharacters } from "../rules/limits.ts";
import type { Delivery } from "../rules/session/send.ts";
import { uuid } from "./wire-values.ts";

export const messageContent = z.string().max(messageContentCharacters);

export const jobDeliverySchema = z.object({ delivery: z.literal("job"), chatJobId: uuid, jobNumber: z.int() });

export const deliverySchema = z.union([
  jobDeliverySchema,
  z.object({ delivery: z.literal("queued"), queuedMessageId: uuid }),
]);

export function deliveryOnWire(delivery: Delivery): z.infer<typeof deliverySchema> {
  if (delivery.delivery === "queued") return delivery;
  return { delivery: "job", chatJobId: delivery.turnId, jobNumber: delivery.turnNumber };
}
