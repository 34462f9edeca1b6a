// The body of a send, as JSON or as a form with files (Part 1, "Send body").
import * as z from "zod";
import type { DeclaredBody } from "../../http/body.ts";
import { messageContent } from "../../resources/delivery.ts";
import { diffCommentSchema } from "../../resources/diff-comment.ts";
import { fromJson, uuid } from "../../resources/wire-values.ts";
import type { Attachment, MessageBody } from "../../rules/chat/message.ts";
import { diffCommentsPerSend } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

const previewContext = z.strictObject({
  frontendName: z.string(),
  path: z.string().startsWith("/", "must begin with /"),
});
const diffCommentsContext = z.array(diffCommentSchema).max(diffCommentsPerSend);

const textFields = {
  /** One that the catalog lacks is not refused; it changes nothing. */
  model: z.string().optional(),
  retryFailedJobId: uuid.optional(),
  runningJobId: uuid.optional(),
};

const jsonSchema = z
  .strictObject({
    content: messageContent,
    previewContext: previewContext.optional(),
    diffCommentsContext: diffCommentsContext.default([]),
    ...textFields,
  })
  .refine((body) => !isBlank(body.content) || body.diffCommentsContext.length > 0, {
    path: ["content"],
    message: "must not be empty",
  });

const formSchema = z.strictObject({
  content: messageContent,
  previewContext: fromJson(previewContext).optional(),
  diffCommentsContext: fromJson(diffCommentsContext).default([]),
  ...textFields,
});

export type SendBody = z.infer<typeof formSchema>;

export const sendBody: DeclaredBody<SendBody> = {
  schema: jsonSchema,
  form: { schema: formSchema, check: checkForm },
};

/** The message that a send's body and files make up. */
export function messageOf(body: SendBody, attachments: Attachment[]): MessageBody {
  return {
    content: body.content,
    attachments,
    context: {
      preview: body.previewContext ?? null,
      reviewCommentIds: [...new Set(body.diffCommentsContext.map(({ id }) => id))],
    },
  };
}

/** A form with nothing in it is refused by another code than one whose fields are wrong (Part 1, "Errors"). */
function checkForm(
  { content, diffCommentsContext }: Record<string, string>,
  attachments: Attachment[],
): Refusal | null {
  const hasComments = diffCommentsContext !== undefined && diffCommentsContext.replace(/\s/g, "") !== "[]";
  if (!isBlank(content) || hasComments || attachments.length > 0) return null;
  return refuse("BAD_REQUEST", "The message is empty. Send content, files or review comments.");
}

function isBlank(content = ""): boolean {
  return content.trim() === "";
}
