// What a sender pointed at, on the wire.
import * as z from "zod";
import type { MessageContext } from "../rules/chat/message.ts";
import { uuid } from "./wire-values.ts";

export const contextSchema = z.object({
  previewContext: z.object({ frontendName: z.string(), path: z.string() }).optional(),
  diffCommentIds: z.array(uuid).optional(),
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
