// The bodies of artifacts and Prototypes in R2. Each version of an artifact has a separate key.

import { reasonOf } from "../error-text.ts";
import { newId } from "../ids.ts";
import { isTextKind } from "../rules/artifact/artifact.ts";
import { dispositionOf } from "../rules/artifact/media-type.ts";
import { unconfirmedObjectMs } from "../rules/limits.ts";
import { putStream } from "./objects.ts";
import type { ArtifactRow } from "./queries/artifacts.ts";
import type { PrototypeRow } from "./queries/prototypes.ts";
import { forgetUnconfirmed, noteUnconfirmed, overdueObjects } from "./queries/unconfirmed-objects.ts";

interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

export interface StoredBody {
  bodyKey: string;
  byteSize: number;
}

/** Texts are served by the API alone. Served directly, an HTML body must not be shown as a page. */
const textMetadata = { contentType: "text/plain; charset=utf-8" };

/** Stores a text. The sweep deletes it unless an artifact's row names it later. */
export async function storeText({ DB, STORE }: Storage, sessionId: string, text: string): Promise<StoredBody> {
  const bodyKey = await unconfirmedKey(DB, sessionId);
  const bytes = new TextEncoder().encode(text);
  await STORE.put(bodyKey, bytes, { httpMetadata: textMetadata });
  return { bodyKey, byteSize: bytes.length };
}

/** Streams a file into storage. The sweep deletes it unless an artifact's row names it later. */
export async function storeFile(
  { DB, STORE }: Storage,
  { sessionId, slug, mediaType }: { sessionId: string; slug: string; mediaType: string },
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredBody> {
  const bodyKey = await unconfirmedKey(DB, sessionId);
  const httpMetadata = {
    contentType: mediaType,
    contentDisposition: dispositionOf(slug, mediaType),
    // A cached copy would outlive the artifact's deletion.
    cacheControl: "private, no-store",
  };
  return { bodyKey, byteSize: await putStream(STORE, bodyKey, bytes, httpMetadata) };
}

async function unconfirmedKey(database: D1Database, sessionId: string): Promise<string> {
  const key = `sessions/${sessionId}/artifacts/${newId()}`;
  await noteUnconfirmed(database, [key], Date.now() + unconfirmedObjectMs);
  return key;
}

/** Reads the text of a document or a mockup. Null for media, and if the artifact has been rewritten since `row` was read. */
export async function bodyText(store: R2Bucket, { kind, bodyKey }: ArtifactRow): Promise<string | null> {
  return isTextKind(kind) ? ((await (await store.get(bodyKey))?.text()) ?? null) : null;
}

/** The key of a document's layout. Its number is increased when the layout of documents changes. */
const layoutKey = (bodyKey: string) => `${bodyKey}.layout-1.html`;

/** Reads the stored layout of a document's version; null if there is none. */
export async function readLayout(store: R2Bucket, bodyKey: string): Promise<string | null> {
  return (await (await store.get(layoutKey(bodyKey)))?.text()) ?? null;
}

/** Stores the layout of a document's version. It is deleted with the body. */
export async function storeLayout(store: R2Bucket, bodyKey: string, html: string): Promise<void> {
  await store.put(layoutKey(bodyKey), html, { httpMetadata: textMetadata });
}

/** The keys of the bodies of a Prototype's variants, in the order of the variants. */
export const prototypeBodyKeys = ({ id, variants }: Pick<PrototypeRow, "id" | "variants">) =>
  variants.map((_, index) => prototypeBodyKey(id, index));

const prototypeBodyKey = (id: string, index: number) => `prototypes/${id}/${index}`;

/** Stores the bodies of a Prototype's variants. The sweep deletes them unless its row is written. */
export async function storePrototypeBodies({ DB, STORE }: Storage, id: string, bodies: string[]): Promise<void> {
  const keys = bodies.map((_, index) => prototypeBodyKey(id, index));
  await noteUnconfirmed(DB, keys, Date.now() + unconfirmedObjectMs);
  await Promise.all(
    bodies.map((body, index) => STORE.put(prototypeBodyKey(id, index), body, { httpMetadata: textMetadata })),
  );
}

/** Deletes objects that no row names. If that fails, the sweep deletes them later. */
export async function dropObjects({ DB, STORE }: Storage, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  try {
    await STORE.delete(keys.flatMap((key) => [key, layoutKey(key)]));
    await forgetUnconfirmed(DB, keys);
  } catch (error) {
    console.error("objects are left to the sweep:", reasonOf(error));
  }
}

const objectsPerSweep = 50;

/** Deletes the unconfirmed objects that are due. */
export async function sweepUnconfirmedObjects(env: Storage, now: number): Promise<void> {
  await dropObjects(env, await overdueObjects(env.DB, now, objectsPerSweep));
}
