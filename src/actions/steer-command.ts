// A steer as it goes over the turn link.
import type { Env } from "../env.ts";
import type { ReviewComment } from "../rules/review-comment.ts";
import type { Steer } from "../rules/steer.ts";
import { attachedFiles } from "../sandbox/attached-files.ts";
import type { LinkCommand } from "../sandbox/protocol.ts";
import { messageText } from "./turn-prompt.ts";

/** The command that hands it over; `comments` are those of its review comments that are still open. */
export function steerCommand(env: Env, { steerId, message }: Steer, comments: ReviewComment[]): LinkCommand {
  return {
    type: "steer",
    steerId,
    text: messageText(message, comments),
    attachments: attachedFiles(env, message.attachments),
  };
}
