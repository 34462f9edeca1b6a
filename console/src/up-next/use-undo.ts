// The way back after a message of Up next was deleted: its text and files stay here for a moment.
import type { Schemas } from "@switchyard/client";
import { useEffect, useState } from "react";
import { service } from "../api.ts";
import type { SessionPath } from "../composer/deliver.ts";

const keptMs = 15_000;
const download = "GET /api/projects/{projectId}/chat-sessions/{sessionId}/attachments/{attachmentId}";

interface Deleted {
  text: string;
  files: File[];
}

export function useUndo(path: SessionPath | null) {
  const [deleted, setDeleted] = useState<Deleted | null>(null);

  useEffect(() => {
    if (!deleted) return;
    const timer = setTimeout(() => setDeleted(null), keptMs);
    return () => clearTimeout(timer);
  }, [deleted]);

  /** Deletes a message, and keeps it. Resolves with the refusal, or null. */
  async function remove(message: Schemas["QueuedMessage"], call: () => Promise<unknown>): Promise<unknown> {
    const files = await Promise.all(
      message.attachments.map(async ({ id, name, mediaType }) => {
        const given = { ...(path as SessionPath), attachmentId: id };
        const blob = await service.request(download, { path: given }).catch(() => null);
        return blob instanceof Blob ? [new File([blob], name, { type: mediaType })] : [];
      }),
    );
    const refusal = await call();
    if (refusal === null) setDeleted({ text: message.content, files: files.flat() });
    return refusal;
  }

  function take(): Deleted {
    setDeleted(null);
    return deleted ?? { text: "", files: [] };
  }

  return { deleted, remove, take };
}
