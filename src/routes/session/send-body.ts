// The body of a send, as JSON or as multipart.
import * as z from "zod";
import type { EndpointBody } from "../../http/endpoint.ts";
import { messageContent } from "../../resources/delivery.ts";
import { uuid } from "../../resources/wire-values.ts";
import { jsonBodyBytes } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

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
