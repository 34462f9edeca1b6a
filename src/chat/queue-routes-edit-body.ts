// The body that edits a queued message: JSON, or a form with new files.
import * as z from "zod";
import type { DeclaredBody } from "../http/body.ts";
import { exampleIds } from "../resources/example-values.ts";
import { fromJson, uuid } from "../resources/wire-values.ts";
import { messageContent } from "./wire/queue-delivery.ts";

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

/** Ids in a form: the field once for each, or once with all as JSON, which can also be empty. */
const idsOfField = z
  .array(z.string())
  .transform((texts, context): unknown => {
    const [first = ""] = texts;
    if (texts.length > 1 || !first.trimStart().startsWith("[")) return texts;
    try {
      return JSON.parse(first);
    } catch {
      context.addIssue({ code: "custom", message: "is not JSON" });
      return z.NEVER;
    }
  })
  .pipe(z.array(uuid))
  .describe("The ids of the files to keep, each in a field of its own, or all in one as JSON; left out, all stay.");

export const editBody: DeclaredBody<EditBody> = {
  schema: jsonSchema,
  form: {
    schema: z
      .strictObject({
        content: fields.content,
        retainedAttachmentIds: idsOfField.optional(),
        version: fromJson(fields.version.unwrap()).optional(),
        editing: fromJson(fields.editing.unwrap()).optional(),
      })
      .meta({ examples: [{ retainedAttachmentIds: [exampleIds.attachment], version: "1", attachmentCount: 0 }] }),
    lists: ["retainedAttachmentIds"],
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
