// Attachments in R2: the files of an owner's messages, with their names and media types.
import { newId } from "../ids.ts";
import type { Attachment } from "../rules/chat/message.ts";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import { deletePrefix, putStream } from "./objects.ts";
import { ownerFolder } from "./owner-folder.ts";

/** Streams a file into storage. */
async function putAttachment(
  store: R2Bucket,
  owner: TurnOwner,
  { name, mediaType }: Pick<Attachment, "name" | "mediaType">,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Attachment> {
  const id = newId();
  const byteSize = await putStream(store, keyOf(owner, id), bytes, {
    contentType: mediaType,
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncoded)}`,
  });
  return { id, name, mediaType, byteSize };
}

/** The attachment store of one owner of turns. */
export function attachmentStore(bucket: R2Bucket, owner: TurnOwner) {
  return {
    put: (file: Pick<Attachment, "name" | "mediaType">, bytes: AsyncIterable<Uint8Array>) =>
      putAttachment(bucket, owner, file, bytes),
    drop: (attachments: Attachment[]) =>
      deleteAttachments(
        bucket,
        owner,
        attachments.map(({ id }) => id),
      ),
  };
}

/** Reads an attachment; null if the owner has none with this id. */
export async function getAttachment(store: R2Bucket, owner: TurnOwner, id: string): Promise<R2ObjectBody | null> {
  return await store.get(keyOf(owner, id));
}

/** Deletes attachments of an owner. Idempotent. */
export async function deleteAttachments(store: R2Bucket, owner: TurnOwner, ids: string[]): Promise<void> {
  if (ids.length > 0) await store.delete(ids.map((id) => keyOf(owner, id)));
}

/** Deletes all objects of an owner, not only its attachments. Idempotent. */
export async function deleteOwnedObjects(store: R2Bucket, owner: TurnOwner): Promise<void> {
  await deletePrefix(store, ownerFolder(owner));
}

function keyOf(owner: TurnOwner, id: string): string {
  return `${ownerFolder(owner)}attachments/${id}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
