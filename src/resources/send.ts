// The send body and its answer on the wire.
import * as z from "zod";
import type { SendOrderFacts } from "../../durable-objects/session.ts";
import type { EndpointBody } from "../http/endpoint.ts";
import type { Delivery } from "../rules/delivery.ts";
import { jsonBodyBytes, messageContentCharacters } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { WorkspaceFound } from "../storage/queries/access.ts";
import { uuid } from "./common.ts";

export const messageContent = z.string().max(messageContentCharacters);

const sendSchema = z.object({
  content: messageContent.refine((content) => content.trim() !== "", "must not be empty"),
  model: z.string().optional(),
  runningJobId: uuid.optional(),
});

export const sendBody: EndpointBody<z.infer<typeof sendSchema>> = {
  schema: sendSchema,
  multipart: { maxBytes: jsonBodyBytes, read: readMultipartSend },
};

/** The fields of a multipart send are those of the JSON body, as text. */
function readMultipartSend(fields: Record<string, unknown>): unknown | Refusal {
  const files = Object.values(fields).filter((value) => value instanceof File);
  if (files.length > 0) return refuse("BAD_REQUEST", "Attachments cannot be sent yet. Send the message without them.");
  if (typeof fields.content !== "string" || fields.content.trim() === "") {
    return refuse("BAD_REQUEST", "The message is empty. A multipart message needs its content.");
  }
  return fields;
}

export const deliverySchema = z.union([
  z.object({ delivery: z.literal("job"), chatJobId: uuid, jobNumber: z.int() }),
  z.object({ delivery: z.literal("queued"), queuedMessageId: uuid }),
]);

export function deliveryOnWire(delivery: Delivery): z.infer<typeof deliverySchema> {
  if (delivery.delivery === "queued") return delivery;
  return { delivery: "job", chatJobId: delivery.turnId, jobNumber: delivery.turnNumber };
}

/** What the session's object has to know of the workspace to choose a model. */
export function sendFacts(workspace: WorkspaceFound): SendOrderFacts {
  return {
    runnable: new Set(workspace.providers),
    assigneeDefaultModel: null,
    workspaceDefaultModel: workspace.defaultModel,
  };
}
