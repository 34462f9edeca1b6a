// A message of the Deploy Chat on the wire.
import type * as z from "zod";
import { exampleAuthor, exampleIds, exampleTimes } from "../../resources/example-values.ts";
import { messageOnWire, messageSchema } from "../../resources/message.ts";
import { uuid } from "../../resources/wire-values.ts";
import type { Message } from "../../rules/chat/message.ts";

export const deployMessageSchema = messageSchema
  .omit({ jobId: true })
  .extend({ deployJobId: uuid.describe("The id of the Deploy that it belongs to.") })
  .meta({
    id: "DeployMessage",
    description: "A message of the Deploy Chat: a user's, the agent's answer in blocks, or a sentence of the service.",
    examples: [
      {
        id: exampleIds.message,
        deployJobId: exampleIds.job,
        role: "user",
        content: "Start the worker too.",
        blocks: [],
        delivery: "job",
        author: exampleAuthor,
        attachments: [],
        createdAt: exampleTimes.begun,
      },
    ],
  });

/** Converts the messages of a project. `deployOf` answers the Deploy of a turn. */
export function deployMessageOnWire(projectId: string, deployOf: (turnId: string) => string) {
  return (message: Message): z.infer<typeof deployMessageSchema> => {
    const { jobId, ...rest } = messageOnWire({ projectId }, message);
    return { ...rest, deployJobId: deployOf(jobId) };
  };
}
