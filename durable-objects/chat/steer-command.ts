// The turn link's command for a steer.
import type { Env } from "../../src/env.ts";
import type { Steer } from "../../src/rules/chat/steer.ts";
import type { ReviewComment } from "../../src/rules/session/review-comment.ts";
import { attachedFiles } from "../../src/sandbox/attached-files.ts";
import type { LinkCommand } from "../../src/sandbox/protocol.ts";
import { skillCalled } from "../../src/skill/rules/skill-call.ts";
import { messageText } from "./turn-prompt.ts";

/** Builds the command for a turn's model. `comments` are the message's review comments that are still open. */
export function steerCommand(
  env: Env,
  { steerId, message }: Steer,
  model: string | null,
  comments: ReviewComment[],
): LinkCommand {
  return {
    type: "steer",
    steerId,
    text: messageText(message, comments),
    skill: skillCalled(message, model),
    attachments: attachedFiles(env, message.attachments),
  };
}
