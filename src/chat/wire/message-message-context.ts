// The context of a message on the wire: what its sender pointed at.
import * as z from "zod";
import { uuid } from "../../resources/wire-values.ts";
import type { MessageContext } from "../rules/message.ts";

const previewContextSchema = z
  .object({
    frontendName: z.string().describe("The endpoint of the preview, by its key in `frontendUrls`."),
    path: z.string().describe("The path of the page."),
  })
  .meta({
    id: "PreviewContext",
    description: "The page of the preview that the sender looked at.",
    examples: [{ frontendName: "web", path: "/board" }],
  });

const chosenOptionSchema = z
  .object({
    question: z.string().describe("The question, as it was asked."),
    option: z.string().describe("The title of the option that was chosen."),
  })
  .meta({
    id: "ChosenOption",
    description: "An option that the sender chose in answer to a clarification.",
    examples: [{ question: "Which order?", option: "By time" }],
  });

export const contextSchema = z
  .object({
    previewContext: previewContextSchema.optional(),
    diffCommentIds: z.array(uuid).optional().describe("The ids of the review comments that were sent along."),
    answers: z
      .array(chosenOptionSchema)
      .optional()
      .describe("The options chosen in answer to a clarification, in the order of its questions."),
  })
  .meta({
    id: "MessageContext",
    description: "What the sender of a message pointed at, and chose.",
    examples: [{ previewContext: { frontendName: "web", path: "/board" } }],
  });

export function contextOnWire({ preview, reviewCommentIds, answers }: MessageContext): z.infer<typeof contextSchema> {
  return {
    ...(preview ? { previewContext: preview } : {}),
    ...(reviewCommentIds.length > 0 ? { diffCommentIds: reviewCommentIds } : {}),
    ...(answers ? { answers } : {}),
  };
}

/** True if the sender pointed at something or chose an option. */
export function hasContext({ preview, reviewCommentIds, answers }: MessageContext): boolean {
  return preview !== null || reviewCommentIds.length > 0 || answers !== undefined;
}
