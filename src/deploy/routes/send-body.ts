// The body of a call on a Deploy: a message as JSON or as a form with files, or no body, which
// starts a Deploy (Part 2, "Deploys").
import * as z from "zod";
import { isEmptyMessage } from "../../chat/rules/message.ts";
import { createAnswersSchema } from "../../chat/wire/message.ts";
import { messageContent } from "../../chat/wire/queue.ts";
import type { DeclaredBody } from "../../http/body.ts";
import { flag } from "../../http/query.ts";
import { fromJson, uuid } from "../../lib/wire.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

const freshDeploy = z
  .boolean()
  .optional()
  .describe("True starts a new Deploy with the text, where none runs or waits.");
const runningDeployJobId = uuid.optional().describe("The Deploy that you saw. If it was stopped, nothing is sent.");

const answers = createAnswersSchema("the Deploy is `awaiting_user`");

const jsonSchema = z
  .strictObject({
    userResponse: messageContent
      .optional()
      .describe(
        "The message. It may be empty with answers. Without message and answers a Deploy is started, and one that runs is stopped.",
      ),
    answers: answers.default([]),
    freshDeploy,
    runningDeployJobId,
    content: z.unknown().optional().describe("Ignored. Use `userResponse`."),
  })
  .optional()
  .transform((body) => ({
    content: body?.userResponse ?? (body && body.answers.length > 0 ? "" : null),
    answers: body?.answers ?? [],
    freshDeploy: body?.freshDeploy === true,
    runningDeployJobId: body?.runningDeployJobId ?? null,
  }))
  .meta({ examples: [{ userResponse: "Start the worker too." }] });

const formSchema = z
  .strictObject({
    content: messageContent.describe("The message. It may be empty where answers come with it."),
    answers: fromJson(answers).default([]),
    freshDeploy: flag().describe("As in JSON."),
    runningDeployJobId,
  })
  .transform(({ content, answers: chosen, freshDeploy: isFresh, runningDeployJobId: seen }) => ({
    content,
    answers: chosen,
    freshDeploy: isFresh,
    runningDeployJobId: seen ?? null,
  }))
  .meta({ examples: [{ content: "This is how it should look.", attachmentCount: 1 }] });

export type DeployBody = z.infer<typeof jsonSchema> | z.infer<typeof formSchema>;

export const deployBody: DeclaredBody<DeployBody> = {
  schema: jsonSchema,
  form: {
    schema: formSchema,
    check: ({ content }) =>
      content === undefined ? refuse("BAD_REQUEST", "A form needs the text of the message in `content`.") : null,
  },
};

/** Refuses an empty message, and refuses answers to a Deploy that has not asked anything yet. */
export function checkMessage({ content, answers: chosen, freshDeploy: isFresh }: DeployBody): Refusal | null {
  if (content === null) return null;
  if (chosen.length > 0 && isFresh)
    return refuse("BAD_REQUEST", "answers belong to the Deploy that asked. Leave out freshDeploy, or the answers.");
  if (!isEmptyMessage({ content, answers: chosen })) return null;
  return refuse(
    "BAD_REQUEST",
    "The message is empty. Write one, or send neither message nor answers to start a Deploy.",
  );
}
