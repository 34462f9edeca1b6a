// The attachments of a message as the sandbox program receives them: each with the URL to fetch it from.

import type { Attachment } from "../../src/chat/rules/message.ts";
import type { Env } from "../../src/env.ts";
import type { AttachedFile } from "../../src/sandbox/protocol.ts";

export function attachedFiles(env: Env, attachments: Attachment[]): AttachedFile[] {
  return attachments.map((attachment) => ({
    ...attachment,
    url: `${env.SANDBOX_TO_SERVICE_URL}/internal/attachments/${attachment.id}`,
  }));
}
