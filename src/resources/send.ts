// The send body and its answer on the wire.
import * as z from "zod";
import type { SendOrderFacts } from "../../durable-objects/session.ts";
import type { EndpointBody } from "../http/endpoint.ts";
import type { Delivery } from "../rules/delivery.ts";
import { messageContentCharacters } from "../rules/limits.ts";
import type { WorkspaceFound } from "../storage/queries/access.ts";
import { uuid } from "./common.ts";

export const messageContent = z.string().max(messageContentCharacters);

const sendSchema = z.object({
  content: messageContent.refine((content) => content.trim() !== "", "must not be empty"),
  model: z.string().optional(),
  previewContext: z.object({ frontendName: z.string(), path: z.string().startsWith("/") }).optional(),
  retryFailedJobId: uuid.optional(),
  runningJobId: uuid.optional(),
});

export const sendBody: EndpointBody<z.infer<typeof sendSchema>> = { schema: sendSchema };

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
