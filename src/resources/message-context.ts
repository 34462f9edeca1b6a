// What a sender pointed at, on the wire.
import * as z from "zod";
import type { MessageContext } from "../rules/chat/message.ts";
import { uuid } from "./wire-values.ts";

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

export const contextSchema = z
  .object({
    previewContext: previewContextSchema.optional(),
    diffCommentIds: z.array(uuid).optional().describe("The ids of the review comments that were sent along."),
  })
  .meta({
    id: "MessageContext",
    description: "What the sender of a message pointed at.",
    examples: [{ previewContext: { frontendName: "web", path: "/board" } }],
  });

export function contextOnWire({ preview, reviewCommentIds }: MessageContext): z.infer<typeof contextSchema> {
  return {
    ...(preview ? { previewContext: preview } : {}),
    ...(reviewCommentIds.length > 0 ? { diffCommentIds: reviewCommentIds } : {}),
  };
}

/** True when the sender pointed at something. */
export function hasContext({ preview, reviewCommentIds }: MessageContext): boolean {
  return preview !== null || reviewCommentIds.length > 0;
}
