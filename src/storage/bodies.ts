// The bodies in R2 of nouns that keep one each: artifacts, Prototypes, skills. A body is noted as unconfirmed, then stored, then named by a
// row. One that no row names is deleted by the sweep.
import { reasonOf } from "../error-text.ts";
import { unconfirmedObjectMs } from "../rules/limits.ts";
import { putStream } from "./objects.ts";
import { forgetUnconfirmed, noteUnconfirmed, overdueObjects } from "./queries/unconfirmed-objects.ts";

export interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

export interface StoredBody {
  bodyKey: string;
  byteSize: number;
}

/** Texts are served by the API alone. Served directly, an HTML body must not be shown as a page. */
export const textMetadata = { contentType: "text/plain; charset=utf-8" };

/** Stores a text under a key. The sweep deletes it unless a row names the key later. */
export async function storeTextAt({ DB, STORE }: Storage, bodyKey: string, text: string): Promise<StoredBody> {
  await noteStored(DB, [bodyKey]);
  return await putText(STORE, bodyKey, text);
}

/** Stores texts, each under its key. The sweep deletes those that no row names later. */
export async function storeTexts({ DB, STORE }: Storage, texts: [bodyKey: string, text: string][]): Promise<void> {
  await noteStored(
    DB,
    texts.map(([bodyKey]) => bodyKey),
  );
  await Promise.all(texts.map(([bodyKey, text]) => putText(STORE, bodyKey, text)));
}

/** Stores bytes of unknown length under a key. The sweep deletes them unless a row names the key later. */
export async function storeStream(
  { DB, STORE }: Storage,
  bodyKey: string,
  bytes: AsyncIterable<Uint8Array>,
  httpMetadata: R2HTTPMetadata,
): Promise<StoredBody> {
  await noteStored(DB, [bodyKey]);
  return { bodyKey, byteSize: await putStream(STORE, bodyKey, bytes, httpMetadata) };
}

async function noteStored(database: D1Database, keys: string[]): Promise<void> {
  await noteUnconfirmed(database, keys, Date.now() + unconfirmedObjectMs);
}

async function putText(store: R2Bucket, bodyKey: string, text: string): Promise<StoredBody> {
  const bytes = new TextEncoder().encode(text);
  await store.put(bodyKey, bytes, { httpMetadata: textMetadata });
  return { bodyKey, byteSize: bytes.length };
}

/** The key of a document's layout. Its number is increased when the layout of documents changes. */
export const layoutKey = (bodyKey: string) => `${bodyKey}.layout-1.html`;

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
