// The text of a message for the agent: the user's words, the context of the message, and how the
// previous turn ended.
import { formatAnswers } from "./clarification.ts";
import type { MessageBody } from "./message.ts";
import type { Turn } from "./turn.ts";

/**
 * A message as the agent reads it. `feedback` is the text of its review comments that are still
 * open, empty for none.
 */
export function formatMessage({ content, context }: MessageBody, feedback: string): string {
  const { preview } = context;
  const looking = preview && `(The user is looking at ${preview.path} in the preview "${preview.frontendName}".)`;
  const sent = context.reviewCommentIds.length === 0 ? null : feedback || noneOpen;
  return [formatAnswers(context.answers), content, looking, sent]
    .filter((part) => part !== null && part !== "")
    .join("\n\n");
}

/** The text says so, because the message may contain nothing else. */
const noneOpen = "(The review comments that came with this message have since been resolved.)";

/**
 * The prompt of a turn. It says whether the previous turn was stopped or failed, because otherwise
 * the agent would continue that turn.
 */
export function createTurnPrompt(message: MessageBody, feedback: string, previous: Turn | null): string {
  const text = formatMessage(message, feedback);
  switch (previous?.status) {
    case "cancelled":
      return `[The previous turn was stopped by a member.]\n\n${text}`;
    case "failed":
      return `[The previous turn failed: ${previous.error}]\n\n${text}`;
    default:
      return text;
  }
}
