// The body of an edit of a waiting message, as JSON or, with new files, as a form.
import * as z from "zod";
import type { DeclaredBody } from "../../http/body.ts";
import { messageContent } from "../../resources/delivery.ts";
import { fromJson, uuid } from "../../resources/wire-values.ts";

const fields = {
  content: messageContent.optional(),
  /** The files to keep; missing, all stay. */
  retainedAttachmentIds: z.array(uuid).optional(),
  version: z.int().optional(),
  /** True shows others that it is being edited, for two minutes; false ends that. */
  editing: z.boolean().optional(),
};

const jsonSchema = z.strictObject(fields);
type EditBody = z.infer<typeof jsonSchema>;

export const editBody: DeclaredBody<EditBody> = {
  schema: jsonSchema,
  form: {
    schema: z.strictObject({
      content: fields.content,
      retainedAttachmentIds: fromJson(fields.retainedAttachmentIds.unwrap()).optional(),
      version: fromJson(fields.version.unwrap()).optional(),
      editing: fromJson(fields.editing.unwrap()).optional(),
    }),
    check: () => null,
  },
};

/** The edit that a body asks for. */
export function editOf({ content, retainedAttachmentIds, version, editing }: EditBody) {
  return {
    content: content ?? null,
    retained: retainedAttachmentIds ?? null,
    version: version ?? null,
    editing: editing ?? null,
  };
}
