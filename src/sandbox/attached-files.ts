// Attached files as the sandbox program gets them: with the address at which it fetches each.
import type { Env } from "../env.ts";
import type { Attachment } from "../rules/chat/message.ts";
import type { AttachedFile } from "./protocol.ts";

export function attachedFiles(env: Env, attachments: Attachment[]): AttachedFile[] {
  return attachments.map((attachment) => ({
    ...attachment,
    url: `${env.SANDBOX_TO_SERVICE_URL}/internal/attachments/${attachment.id}`,
  }));
}
