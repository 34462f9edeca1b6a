// The bodies of artifacts and Prototypes in R2. Each version of an artifact has a separate key.

import type { TurnOwner } from "../chat/rules/chat.ts";
import { createId } from "../lib/ids.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import {
  getLayoutKey,
  type Storage,
  type StoredBody,
  saveStream,
  saveTextAt,
  saveTexts,
  textMetadata,
  type Upload,
} from "../storage/bodies.ts";
import { getOwnerFolder } from "../storage/objects.ts";
import type { ArtifactRow, PrototypeRow } from "./queries.ts";
import { isTextKind } from "./rules/artifact.ts";
import { getContentDisposition } from "./rules/media-type.ts";

const createBodyKey = (owner: TurnOwner) => `${getOwnerFolder(owner)}artifacts/${createId()}`;

/**
 * Stores a text, unless it exceeds the quota. The sweep deletes it if no artifact's row refers to
 * it later.
 */
export async function saveText(env: Storage, owner: TurnOwner, text: string): Promise<StoredBody | Refusal> {
  return await saveTextAt(env, owner, createBodyKey(owner), text);
}

/**
 * Streams a file into storage, unless it may exceed the quota. The sweep deletes it if no
 * artifact's row refers to it later.
 */
export async function saveFile(
  env: Storage,
  { owner, slug, mediaType }: { owner: TurnOwner; slug: string; mediaType: string },
  { bytes, mostBytes }: Pick<Upload, "bytes" | "mostBytes">,
): Promise<StoredBody | Refusal> {
  const httpMetadata = {
    contentType: mediaType,
    contentDisposition: getContentDisposition(slug, mediaType),
    // A cached copy would outlive the artifact's deletion.
    cacheControl: "private, no-store",
  };
  return await saveStream(env, owner, { bodyKey: createBodyKey(owner), mostBytes, bytes, httpMetadata });
}

/**
 * Reads the text of a document or a mockup. Null for media, and if the artifact was rewritten after
 * `row` was read.
 */
export async function readBodyText(store: R2Bucket, { kind, bodyKey }: ArtifactRow): Promise<string | null> {
  return isTextKind(kind) ? ((await (await store.get(bodyKey))?.text()) ?? null) : null;
}

/** Reads the stored layout of a document's version; null if there is none. */
export async function readLayout(store: R2Bucket, bodyKey: string): Promise<string | null> {
  return (await (await store.get(getLayoutKey(bodyKey)))?.text()) ?? null;
}

/** Stores the layout of a document's version. It is deleted with the body. */
export async function saveLayout(store: R2Bucket, bodyKey: string, html: string): Promise<void> {
  await store.put(getLayoutKey(bodyKey), html, { httpMetadata: textMetadata });
}

/** The keys of the bodies of a Prototype's variants, in the order of the variants. */
export const listPrototypeBodyKeys = ({ id, variants }: Pick<PrototypeRow, "id" | "variants">) =>
  variants.map((_, index) => prototypeBodyKey(id, index));

const prototypeBodyKey = (id: string, index: number) => `prototypes/${id}/${index}`;

/**
 * Stores the bodies of a Prototype's variants, unless they exceed the quota. The sweep deletes them
 * if the Prototype's row is not written.
 */
export async function savePrototypeBodies(
  env: Storage,
  { id, projectId }: Pick<PrototypeRow, "id" | "projectId">,
  bodies: string[],
): Promise<Refusal | null> {
  const stored = await saveTexts(
    env,
    { type: "project", id: projectId },
    bodies.map((body, index) => [prototypeBodyKey(id, index), body]),
  );
  return isRefusal(stored) ? stored : null;
}
