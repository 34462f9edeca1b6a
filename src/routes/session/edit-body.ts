// The body of an edit of a waiting message, as JSON or, with new files, as multipart.
import * as z from "zod";
import { messageContent } from "../../resources/delivery.ts";
import { uuid } from "../../resources/wire-values.ts";

export const editSchema = z
  .object({
    content: messageContent.nullable().default(null),
    retainedAttachmentIds: z.array(uuid).optional(),
    version: z.int().nullable().default(null),
    /** True shows others that it is being edited, for two minutes; false ends that. */
    editing: z.boolean().nullable().default(null),
  })
  .transform(({ retainedAttachmentIds, ...edit }) => ({
    ...edit,
    retained: retainedAttachmentIds ?? null,
  }));

export const editBody = { schema: editSchema };
