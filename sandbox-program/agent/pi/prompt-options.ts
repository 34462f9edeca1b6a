// The options of a message to pi: its text without expansion, and its images.
import type { PromptOptions } from "@earendil-works/pi-coding-agent";
import type { AgentMessage } from "../agent.ts";

/** The options of pi's `prompt` for a message. */
export function getPromptOptions({ images }: AgentMessage): Pick<PromptOptions, "expandPromptTemplates" | "images"> {
  if (images.length === 0) return { expandPromptTemplates: false };
  return {
    expandPromptTemplates: false,
    images: images.map(({ mediaType, base64 }) => ({ type: "image", data: base64, mimeType: mediaType })),
  };
}
