// Attachments in R2: the files of an owner's messages, with their names and media types. They count
// towards the quota of the owner's workspace.

import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Attachment } from "../chat/rules/message.ts";
import { createId } from "../lib/ids.ts";
import type { Refusal } from "../rules/refusal.ts";
import type { Storage } from "./bodies.ts";
import { deleteFolder, getOwnerFolder, writeStream } from "./objects.ts";
import { countStored, deleteSizesStatement, recordStoredSizes } from "./stored-objects.ts";

/** Streams a file into storage. */
async function saveAttachment(
  store: R2Bucket,
  owner: TurnOwner,
  { id, name, mediaType }: Pick<Attachment, "id" | "name" | "mediaType">,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Attachment> {
  const byteSize = await writeStream(store, getKey(owner, id), bytes, {
    contentType: mediaType,
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percentEncoded)}`,
  });
  return { id, name, mediaType, byteSize };
}

/**
 * The attachment store of one owner of turns, for the files of one form. Together they may have at
 * most `mostBytes`. The payer has the workspace that they are counted for. The owner may not exist
 * yet.
 */
export function createAttachmentStore(
  env: Storage,
  { owner, payer, mostBytes }: { owner: TurnOwner; payer: TurnOwner; mostBytes: number },
) {
  /**
   * The first file, with which the whole form is counted until the sizes of its files are final.
   */
  let counted: string | null = null;
  return {
    async put(
      { name, mediaType }: Pick<Attachment, "name" | "mediaType">,
      bytes: AsyncIterable<Uint8Array>,
    ): Promise<Attachment | Refusal> {
      const id = createId();
      if (counted === null) {
        const refusal = await countStored(env.DB, payer, [{ key: getKey(owner, id), bytes: mostBytes }]);
        if (refusal) return refusal;
        counted = id;
      }
      return await saveAttachment(env.STORE, owner, { id, name, mediaType }, bytes);
    },
    async settle(attachments: Attachment[]): Promise<void> {
      const sizes = attachments.map(({ id, byteSize }) => ({ key: getKey(owner, id), bytes: byteSize }));
      if (counted !== null) await recordStoredSizes(env.DB, payer, sizes);
    },
    async drop(attachments: Attachment[]): Promise<void> {
      const ids = new Set(attachments.map(({ id }) => id));
      if (counted !== null) ids.add(counted);
      await deleteAttachments(env, owner, [...ids]);
    },
  };
}

/** Reads an attachment; null if the owner has none with this id. */
export async function findAttachment(store: R2Bucket, owner: TurnOwner, id: string): Promise<R2ObjectBody | null> {
  return await store.get(getKey(owner, id));
}

/** Deletes attachments of an owner. Idempotent. */
export async function deleteAttachments({ DB, STORE }: Storage, owner: TurnOwner, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const keys = ids.map((id) => getKey(owner, id));
  await STORE.delete(keys);
  await deleteSizesStatement(DB, keys).run();
}

/** Deletes all objects of an owner, including its attachments. Idempotent. */
export async function deleteOwnedObjects(env: Storage, owner: TurnOwner): Promise<void> {
  await deleteFolder(env, getOwnerFolder(owner));
}

function getKey(owner: TurnOwner, id: string): string {
  return `${getOwnerFolder(owner)}attachments/${id}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
