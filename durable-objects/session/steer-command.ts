// A steer as it goes over the turn link.
import type { Env } from "../../src/env.ts";
import type { Steer } from "../../src/rules/chat/steer.ts";
import type { ReviewComment } from "../../src/rules/session/review-comment.ts";
import { skillCall } from "../../src/rules/skill/skill-call.ts";
import { attachedFiles } from "../../src/sandbox/attached-files.ts";
import type { LinkCommand } from "../../src/sandbox/protocol.ts";
import { messageText } from "./turn-prompt.ts";

/** The command that hands it over to a turn on a model; `comments` are those of its review comments that are still open. */
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
    skill: skillCall(message.content, model),
    attachments: attachedFiles(env, message.attachments),
  };
}
