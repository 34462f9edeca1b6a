// A steer as it goes over the turn link.
import type { Env } from "../env.ts";
import type { Steer } from "../rules/chat/steer.ts";
import type { ReviewComment } from "../rules/session/review-comment.ts";
import { skillCall } from "../rules/skill/skill-call.ts";
import { attachedFiles } from "../sandbox/attached-files.ts";
import type { LinkCommand } from "../sandbox/protocol.ts";
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
