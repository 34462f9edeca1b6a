// The body of a send: JSON, or a form with files (Part 1, "Send body").
import * as z from "zod";
import { type Attachment, isEmptyMessage, type MessageBody } from "../../chat/rules/message.ts";
import { relaySenderSchema } from "../../chat/wire/author.ts";
import { createAnswersSchema, diffCommentSchema } from "../../chat/wire/message.ts";
import { messageContent } from "../../chat/wire/queue.ts";
import { resultSchemaField } from "../../chat/wire/result-schema.ts";
import type { DeclaredBody } from "../../http/body.ts";
import { flag } from "../../http/query.ts";
import { fromJson, uuid } from "../../lib/wire.ts";
import { diffCommentsPerSend } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

const previewContext = z
  .strictObject({
    frontendName: z.string().describe("A key of `frontendUrls`."),
    path: z.string().startsWith("/", "must begin with /").describe("The path of the page."),
  })
  .describe("The page of the preview that the sender looks at.");
const diffCommentsContext = z
  .array(diffCommentSchema)
  .max(diffCommentsPerSend)
  .describe("Review comments. Resolved ones are left out.");
const content = messageContent.describe("The message. It may be empty if anything else is sent.");

const answers = createAnswersSchema("the newest job is `awaiting_response`");

const textFields = {
  model: z
    .string()
    .optional()
    .describe(
      "The model id that the session runs on from this turn on. It changes nothing where the message waits Up next, where the catalog lacks it, or where the Assignee cannot run it.",
    ),
  retryFailedJobId: uuid.optional().describe("After `context_window_exceeded`: that job. The agent starts fresh."),
  runningJobId: uuid.optional().describe("The running job that you saw. If it was stopped, nothing is sent."),
};

const steerText = "With `true`, the message is steered into a running turn. If the turn cannot take it, it waits.";

const jsonSchema = z
  .strictObject({
    content,
    previewContext: previewContext.optional(),
    diffCommentsContext: diffCommentsContext.default([]),
    answers: answers.default([]),
    steer: z.boolean().default(false).describe(steerText),
    resultSchema: resultSchemaField.optional(),
    sender: relaySenderSchema.optional(),
    ...textFields,
  })
  .refine(
    ({ content, diffCommentsContext: reviewComments, answers }) =>
      !isEmptyMessage({ content, reviewComments, answers }),
    {
      path: ["content"],
      message: "must not be empty",
    },
  )
  .meta({ examples: [{ content: "Sort departures by time.", model: "anthropic:opus__high" }] });

const formSchema = z
  .strictObject({
    content,
    previewContext: fromJson(previewContext).optional(),
    diffCommentsContext: fromJson(diffCommentsContext).default([]),
    answers: fromJson(answers).default([]),
    steer: flag().describe(steerText),
    resultSchema: fromJson(resultSchemaField).optional(),
    sender: fromJson(relaySenderSchema).optional(),
    ...textFields,
  })
  .meta({ examples: [{ content: "Sort departures by time.", attachmentCount: 0 }] });

export type SendBody = z.infer<typeof formSchema>;

export const sendBody: DeclaredBody<SendBody> = {
  schema: jsonSchema,
  form: { schema: formSchema, check: checkForm },
};

/** Builds a message from a body and its files. */
export function toMessage(body: SendBody, attachments: Attachment[]): MessageBody {
  return {
    content: body.content,
    attachments,
    context: {
      preview: body.previewContext ?? null,
      reviewCommentIds: [...new Set(body.diffCommentsContext.map(({ id }) => id))],
      ...(body.resultSchema && { resultSchema: body.resultSchema }),
    },
  };
}

/** An empty form gets another refusal code than one with invalid fields (Part 1, "Errors"). */
function checkForm(
  { content, diffCommentsContext, answers }: Record<string, string>,
  attachments: Attachment[],
): Refusal | null {
  // The lists are still JSON here. One that cannot be read is refused with its field later.
  const isEmptyList = (json = "[]") => json.replace(/\s/g, "") === "[]";
  const lists = [diffCommentsContext, answers].filter((json) => !isEmptyList(json));
  if (!isEmptyMessage({ content: content ?? "", attachments, answers: lists })) return null;
  return refuse("BAD_REQUEST", "The message is empty. Send content, files, review comments or answers.");
}
