// An instruction on the wire: a message that waits for the deploy agent's next turn, because the sandbox is being built.
import * as z from "zod";
import { attachmentOnWire, attachmentSchema } from "../../resources/attachment.ts";
import { authorOnWire, authorSchema } from "../../resources/author.ts";
import { exampleAuthor, exampleIds, exampleTimes } from "../../resources/example-values.ts";
import { time, timestamp, uuid } from "../../resources/wire-values.ts";
import type { Instruction } from "../rules/project-state.ts";

export const instructionSchema = z
  .object({
    id: uuid.describe("The message's id."),
    content: z.string().describe("What it says."),
    attachments: z.array(attachmentSchema).describe("The files that came with it."),
    author: authorSchema.describe("Who sent it."),
    createdAt: timestamp.describe("When it was sent."),
  })
  .meta({
    id: "Instruction",
    description: "A message that waits for the deploy agent's next turn.",
    examples: [
      {
        id: exampleIds.queuedMessage,
        content: "Start the worker too.",
        attachments: [],
        author: exampleAuthor,
        createdAt: exampleTimes.later,
      },
    ],
  });

export function instructionOnWire(
  projectId: string,
  { id, content, attachments, author, createdAt }: Instruction,
): z.infer<typeof instructionSchema> {
  return {
    id,
    content,
    attachments: attachments.map((attachment) => attachmentOnWire({ projectId }, attachment)),
    author: authorOnWire(author),
    createdAt: time(createdAt),
  };
}
