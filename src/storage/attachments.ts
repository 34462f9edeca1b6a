// Attachments in R2: the files of a session's messages, with their names and media types.
import { newId } from "../ids.ts";
import type { Attachment } from "../rules/chat/message.ts";
import { deletePrefix, putStream } from "./objects.ts";

/** Streams a file into storage. */
async function putAttachment(
  store: R2Bucket,
  sessionId: string,
  { name, mediaType }: Pick<Attachment, "name" | "mediaType">,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Attachment> {
  const id = newId();
  const byteSize = await putStream(store, keyOf(sessionId, id), bytes, {
    contentType: mediaType,
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncoded)}`,
  });
  return { id, name, mediaType, byteSize };
}

/** The attachment store of one session. */
export function attachmentStore(bucket: R2Bucket, sessionId: string) {
  return {
    put: (file: Pick<Attachment, "name" | "mediaType">, bytes: AsyncIterable<Uint8Array>) =>
      putAttachment(bucket, sessionId, file, bytes),
    drop: (attachments: Attachment[]) =>
      deleteAttachments(
        bucket,
        sessionId,
        attachments.map(({ id }) => id),
      ),
  };
}

/** Reads an attachment; null if the session has none with this id. */
export async function getAttachment(store: R2Bucket, sessionId: string, id: string): Promise<R2ObjectBody | null> {
  return await store.get(keyOf(sessionId, id));
}

/** Deletes attachments of a session. Idempotent. */
export async function deleteAttachments(store: R2Bucket, sessionId: string, ids: string[]): Promise<void> {
  if (ids.length > 0) await store.delete(ids.map((id) => keyOf(sessionId, id)));
}

/** Deletes all objects of a session, not only its attachments. Idempotent. */
export async function deleteSessionObjects(store: R2Bucket, sessionId: string): Promise<void> {
  await deletePrefix(store, `sessions/${sessionId}/`);
}

function keyOf(sessionId: string, id: string): string {
  return `sessions/${sessionId}/attachments/${id}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
