// A file of a message on the wire, with the address at which its bytes can be read.
import * as z from "zod";
import type { Attachment } from "../rules/chat/message.ts";
import { uuid } from "./wire-values.ts";

export const attachmentSchema = z.object({
  id: uuid,
  name: z.string(),
  mediaType: z.string(),
  byteSize: z.int(),
  path: z.string(),
});

export function attachmentOnWire(
  session: { id: string; projectId: string },
  attachment: Attachment,
): z.infer<typeof attachmentSchema> {
  const path = `/api/projects/${session.projectId}/chat-sessions/${session.id}/attachments/${attachment.id}`;
  return { ...attachment, path };
}
