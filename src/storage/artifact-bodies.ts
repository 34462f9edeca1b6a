// The bodies of artifacts in R2: each version under a key of its own, with what a browser has to know of it.
import { newId } from "../ids.ts";
import { reasonOf } from "../reason.ts";
import { isTextKind } from "../rules/artifact/artifact.ts";
import { dispositionOf } from "../rules/artifact/media-type.ts";
import { objectInDoubtMs } from "../rules/limits.ts";
import { putStream } from "./objects.ts";
import type { ArtifactRow } from "./queries/artifacts.ts";
import { endDoubt, noteInDoubt, overdueObjects } from "./queries/objects-in-doubt.ts";
import type { PrototypeRow } from "./queries/prototypes.ts";

interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

export interface StoredBody {
  bodyKey: string;
  byteSize: number;
}

/** Texts are read through the API alone; whatever else should come to serve them shows no page of them. */
const textMetadata = { contentType: "text/plain; charset=utf-8" };

/** Stores a text. It is in doubt until an artifact's row names it. */
export async function storeText({ DB, STORE }: Storage, sessionId: string, text: string): Promise<StoredBody> {
  const bodyKey = await keyInDoubt(DB, sessionId);
  const bytes = new TextEncoder().encode(text);
  await STORE.put(bodyKey, bytes, { httpMetadata: textMetadata });
  return { bodyKey, byteSize: bytes.length };
}

/** Stores a file as it arrives. It is in doubt until an artifact's row names it. */
export async function storeFile(
  { DB, STORE }: Storage,
  { sessionId, slug, mediaType }: { sessionId: string; slug: string; mediaType: string },
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredBody> {
  const bodyKey = await keyInDoubt(DB, sessionId);
  const httpMetadata = {
    contentType: mediaType,
    contentDisposition: dispositionOf(slug, mediaType),
    // It is gone once it is rewritten, or its session deleted.
    cacheControl: "private, no-store",
  };
  return { bodyKey, byteSize: await putStream(STORE, bodyKey, bytes, httpMetadata) };
}

async function keyInDoubt(database: D1Database, sessionId: string): Promise<string> {
  const key = `sessions/${sessionId}/artifacts/${newId()}`;
  await noteInDoubt(database, [key], Date.now() + objectInDoubtMs);
  return key;
}

/** The text of a document or a mockup; null when its artifact has been rewritten meanwhile, or is none of text. */
export async function bodyText(store: R2Bucket, { kind, bodyKey }: ArtifactRow): Promise<string | null> {
  return isTextKind(kind) ? ((await (await store.get(bodyKey))?.text()) ?? null) : null;
}

/** Where the bodies of a Prototype's variants are, in their order. */
export const prototypeBodyKeys = ({ id, variants }: Pick<PrototypeRow, "id" | "variants">) =>
  variants.map((_, place) => prototypeBodyKey(id, place));

const prototypeBodyKey = (id: string, place: number) => `prototypes/${id}/${place}`;

/** Stores the bodies of a Prototype's variants. They are in doubt until its row is there. */
export async function storePrototypeBodies({ DB, STORE }: Storage, id: string, bodies: string[]): Promise<void> {
  const keys = bodies.map((_, place) => prototypeBodyKey(id, place));
  await noteInDoubt(DB, keys, Date.now() + objectInDoubtMs);
  await Promise.all(
    bodies.map((body, place) => STORE.put(prototypeBodyKey(id, place), body, { httpMetadata: textMetadata })),
  );
}

/** Removes objects that nothing names. What cannot be removed now stays in doubt. */
export async function dropObjects({ DB, STORE }: Storage, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  try {
    await STORE.delete(keys);
    await endDoubt(DB, keys);
  } catch (error) {
    console.error("objects are left to the sweep:", reasonOf(error));
  }
}

const objectsPerSweep = 50;

/** Removes what was left behind. */
export async function sweepObjectsInDoubt(env: Storage, now: number): Promise<void> {
  await dropObjects(env, await overdueObjects(env.DB, now, objectsPerSweep));
}
