// The command that steers a running turn, and its attachments.
import type { Attachment } from "../../src/chat/rules/message.ts";
import { formatMessage } from "../../src/chat/rules/prompt.ts";
import type { Steer } from "../../src/chat/rules/steer.ts";
import type { Env } from "../../src/env.ts";
import type { AttachedFile, LinkCommand } from "../../src/sandbox-protocol/protocol.ts";
import { findCalledSkill } from "../../src/skill/rules/skill-call.ts";

/**
 * Builds the command for a turn's model. `feedback` is the text of the message's review
 * comments that are still open, empty for none.
 */
export function createSteerCommand(
  env: Env,
  { steerId, message }: Steer,
  model: string | null,
  feedback: string,
): LinkCommand {
  return {
    type: "steer",
    steerId,
    text: formatMessage(message, feedback),
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
