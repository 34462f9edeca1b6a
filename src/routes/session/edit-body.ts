// The body that edits a queued message: JSON, or a form with new files.
import * as z from "zod";
import type { DeclaredBody } from "../../http/body.ts";
import { messageContent } from "../../resources/delivery.ts";
import { fromJson, uuid } from "../../resources/wire-values.ts";

const fields = {
  content: messageContent.describe("What the message says; left out, it stays.").optional(),
  retainedAttachmentIds: z.array(uuid).describe("The ids of the files to keep; left out, all stay.").optional(),
  version: z
    .int()
    .describe("The version that the edit is of. One that has changed since is not overwritten.")
    .optional(),
  editing: z
    .boolean()
    .describe("True shows others for two minutes that it is being edited; false ends that.")
    .optional(),
};

const jsonSchema = z
  .strictObject(fields)
  .meta({ examples: [{ content: "Then show platform changes, in red.", version: 1 }] });
type EditBody = z.infer<typeof jsonSchema>;

export const editBody: DeclaredBody<EditBody> = {
  schema: jsonSchema,
  form: {
    schema: z
      .strictObject({
        content: fields.content,
        retainedAttachmentIds: fromJson(fields.retainedAttachmentIds.unwrap()).optional(),
        version: fromJson(fields.version.unwrap()).optional(),
        editing: fromJson(fields.editing.unwrap()).optional(),
      })
      .meta({ examples: [{ retainedAttachmentIds: "[]", version: "1", attachmentCount: 0 }] }),
    check: () => null,
  },
};

/** Converts a body to an edit. */
export function editOf({ content, retainedAttachmentIds, version, editing }: EditBody) {
  return {
    content: content ?? null,
    retained: retainedAttachmentIds ?? null,
    version: version ?? null,
    editing: editing ?? null,
  };
}
