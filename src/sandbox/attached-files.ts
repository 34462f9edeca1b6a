// The attachments of a message as the sandbox program receives them: each with the URL to fetch it from.
import type { Env } from "../env.ts";
import type { Attachment } from "../rules/chat/message.ts";
import type { AttachedFile } from "./protocol.ts";

export function attachedFiles(env: Env, attachments: Attachment[]): AttachedFile[] {
  return attachments.map((attachment) => ({
    ...attachment,
    url: `${env.SANDBOX_TO_SERVICE_URL}/internal/attachments/${attachment.id}`,
  }));
}
