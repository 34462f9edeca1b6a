// The turn link's command for a steer.

import type { Steer } from "../../src/chat/rules/steer.ts";
import type { Env } from "../../src/env.ts";
import type { ReviewComment } from "../../src/rules/session/review-comment.ts";
import type { LinkCommand } from "../../src/sandbox/protocol.ts";
import { skillCalled } from "../../src/skill/rules/skill-call.ts";
import { messageText } from "./prompt.ts";
import { attachedFiles } from "./prompt-attached-files.ts";

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
