// The body of a call on a Deploy: a message as JSON or as a form with files, or nothing, which starts a Deploy (Part 2, "Deploys").
import * as z from "zod";
import type { DeclaredBody } from "../../http/body.ts";
import { messageContent } from "../../resources/delivery.ts";
import { uuid } from "../../resources/wire-values.ts";
import { refuse } from "../../rules/refusal.ts";

const freshDeploy = z
  .boolean()
  .optional()
  .describe("True starts a new Deploy with the text as its first message, where none runs or waits.");
const runningDeployJobId = uuid
  .optional()
  .describe("The Deploy that the sender saw. Where somebody stopped it meanwhile, nothing is sent.");

const notBlank = (text: string) => text.trim() !== "";
const empty = "must not be empty: leave it out to start a Deploy";

const jsonSchema = z
  .strictObject({
    userResponse: messageContent
      .refine(notBlank, empty)
      .optional()
      .describe("The message. Without it a Deploy is started, and one that runs is stopped."),
    freshDeploy,
    runningDeployJobId,
    content: z
      .unknown()
      .optional()
      .describe("Taken for older clients, and not read: the message of a JSON body is `userResponse`."),
  })
  .optional()
  .transform((body) => ({
    content: body?.userResponse ?? null,
    freshDeploy: body?.freshDeploy === true,
    runningDeployJobId: body?.runningDeployJobId ?? null,
  }))
  .meta({ examples: [{ userResponse: "Start the worker too." }] });

const formSchema = z
  .strictObject({
    content: messageContent.describe("The message."),
    freshDeploy: z.enum(["true", "false"]).optional().describe("As in JSON."),
    runningDeployJobId,
  })
  .transform(({ content, freshDeploy: isFresh, runningDeployJobId: seen }) => ({
    content,
    freshDeploy: isFresh === "true",
    runningDeployJobId: seen ?? null,
  }))
  .meta({ examples: [{ content: "This is how it should look.", attachmentCount: 1 }] });

export type DeployBody = z.infer<typeof jsonSchema> | z.infer<typeof formSchema>;

export const deployBody: DeclaredBody<DeployBody> = {
  schema: jsonSchema,
  form: {
    schema: formSchema,
    check: ({ content = "" }) =>
      notBlank(content) ? null : refuse("BAD_REQUEST", "The message is empty. A form needs its text in `content`."),
  },
};
