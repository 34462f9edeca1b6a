// The text of a message for the agent: the user's words, the context of the message, and how the
// previous turn ended.
import { formatAnswers } from "../../src/chat/rules/clarification.ts";
import type { Attachment, MessageBody } from "../../src/chat/rules/message.ts";
import type { Steer } from "../../src/chat/rules/steer.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import { formatReviewFeedback, type ReviewComment } from "../../src/checkout/rules/review-comment.ts";
import type { Env } from "../../src/env.ts";
import type { AttachedFile, LinkCommand } from "../../src/sandbox-protocol/protocol.ts";
import { findCalledSkill } from "../../src/skill/rules/skill-call.ts";

/** A message as the agent reads it. */
export function formatMessage({ content, context }: MessageBody, comments: ReviewComment[]): string {
  const { preview } = context;
  const looking = preview && `(The user is looking at ${preview.path} in the preview "${preview.frontendName}".)`;
  const feedback = findFeedback(context.reviewCommentIds, comments);
  return [formatAnswers(context.answers), content, looking, feedback]
    .filter((part) => part !== null && part !== "")
    .join("\n\n");
}

/**
 * The prompt of a turn. It says whether the previous turn was stopped or failed, because otherwise
 * the agent would continue that turn.
 */
export function createTurnPrompt(message: MessageBody, comments: ReviewComment[], previous: Turn | null): string {
  const text = formatMessage(message, comments);
  switch (previous?.status) {
    case "cancelled":
      return `[The previous turn was stopped by a member.]\n\n${text}`;
    case "failed":
      return `[The previous turn failed: ${previous.error}]\n\n${text}`;
    default:
      return text;
  }
}

/**
 * The review comments that are still open. If there are none, the text says so, because the message
 * may contain nothing else.
 */
function findFeedback(sentIds: string[], open: ReviewComment[]): string | null {
  if (sentIds.length === 0) return null;
  if (open.length > 0) return formatReviewFeedback(open);
  return "(The review comments that came with this message have since been resolved.)";
}

/**
 * Builds the command for a turn's model. `comments` are the message's review comments that are
 * still open.
 */
export function createSteerCommand(
  env: Env,
  { steerId, message }: Steer,
  model: string | null,
  comments: ReviewComment[],
): LinkCommand {
  return {
    type: "steer",
    steerId,
    text: formatMessage(message, comments),
    skill: findCalledSkill(message, model),
    attachments: signAttachedFiles(env, message.attachments),
  };
}

/**
 * The attachments of a message as the sandbox program receives them, each with the URL to fetch it
 * from.
 */
export function signAttachedFiles(env: Env, attachments: Attachment[]): AttachedFile[] {
  return attachments.map((attachment) => ({
    ...attachment,
    url: `${env.SANDBOX_TO_SERVICE_URL}/internal/attachments/${attachment.id}`,
  }));
}
