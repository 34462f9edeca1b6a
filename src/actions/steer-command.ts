// A steer as it goes over the turn link.
import type { Env } from "../env.ts";
import type { Steer } from "../rules/steer.ts";
import { attachedFiles } from "../sandbox/attached-files.ts";
import type { LinkCommand } from "../sandbox/protocol.ts";
import { messageText } from "./turn-prompt.ts";

export function steerCommand(env: Env, { steerId, message }: Steer): LinkCommand {
  return {
    type: "steer",
    steerId,
    text: messageText(message, []),
    attachments: attachedFiles(env, message.attachments),
  };
}
