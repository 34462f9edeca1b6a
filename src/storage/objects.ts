// R2 objects of unknown length. They are uploaded in parts, so that no body is in memory as a
// whole.

import type { TurnOwner } from "../chat/rules/chat.ts";
import { bodyMemory, createGrowingBytes, memoryIsFull } from "../lib/byte-budget.ts";
import { createStreamError } from "../lib/byte-stream.ts";
import { getBackoffMs } from "../rules/backoff.ts";
import type { Storage } from "./bodies.ts";
import { deleteFolderSizes } from "./stored-objects.ts";

/**
 * R2 requires parts of equal size and at least 5 MiB, except the last. Each running upload has one
 * part in memory.
 */
const partBytes = 5 * 1024 * 1024;

/**
 * Streams a body into an object and returns its length in bytes. The object is visible once it is
 * complete. Throws and stores nothing if the stream fails, or if there is no memory for a part.
 */
export async function writeStream(
  store: R2Bucket,
  key: string,
  body: AsyncIterable<Uint8Array>,
  httpMetadata: R2HTTPMetadata = {},
): Promise<number> {
  const part = createGrowingBytes(partBytes, bodyMemory);
  const started = createUpload(store, key, httpMetadata);
  let bytes = 0;
  try {
    for await (const chunk of body) {
      for (let rest = chunk; rest.length > 0; ) {
        if (part.bytes().length === partBytes) {
          await started.add(part.bytes());
          part.clear();
        }
        const piece = rest.subarray(0, partBytes - part.bytes().length);
        if (!part.add(piece)) throw createStreamError(memoryIsFull);
        rest = rest.subarray(piece.length);
      }
      bytes += chunk.length;
    }
    await started.finish(part.bytes());
    return bytes;
  } catch (error) {
    await started.abort();
    throw error;
  } finally {
    part.drop();
  }
}

/** A large object that is being read. */
export interface OpenObject {
  size: number;
  body: ReadableStream<Uint8Array>;
}

/** The parts of an object that are opened before the first of them has been read. */
const partsAhead = 3;

/** A body arrives in small pieces. Larger ones cost every program on their way less time. */
const pieceBytes = 256 * 1024;

/** Copies a part in large pieces. */
async function copyPart({ body }: R2ObjectBody, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  try {
    let piece = new Uint8Array(pieceBytes);
    for (;;) {
      const { value, done } = await reader.readAtLeast(pieceBytes, piece);
      if (value?.length) await writer.write(value);
      if (done) return;
      piece = new Uint8Array(value.buffer);
    }
  } catch (error) {
    await reader.cancel(error);
    throw error;
  }
}

/**
 * Opens an object that `writeStream` has stored; null if there is none. Its parts are read in
 * parallel, and only so far ahead as the reader is.
 */
export async function readStream(store: R2Bucket, key: string): Promise<OpenObject | null> {
  const open = (offset: number) => store.get(key, { range: { offset, length: partBytes } });
  const first = await open(0);
  if (first === null) return null;
  const { size } = first;
  const { readable, writable } = new FixedLengthStream(size);
  const writer = writable.getWriter();
  const parts: (Promise<R2ObjectBody | null> | R2ObjectBody)[] = [first];
  const copy = async () => {
    for (let at = 0, opened = partBytes; at < size; at += partBytes) {
      for (; opened < size && parts.length < partsAhead; opened += partBytes) parts.push(open(opened));
      const part = await parts.shift();
      if (!part) throw new Error("an object that was deleted while it was read");
      await copyPart(part, writer);
    }
    await writer.close();
  };
  void copy()
    .catch(async (error: unknown) => {
      await writer.abort(error).catch(() => undefined);
      for (const part of parts) await (await part)?.body.cancel();
    })
    .catch(() => undefined);
  return { size, body: readable };
}

/** An upload. It becomes a multipart upload at its second part. */
function createUpload(store: R2Bucket, key: string, httpMetadata: R2HTTPMetadata) {
  const uploaded: R2UploadedPart[] = [];
  let upload: R2MultipartUpload | null = null;

  async function add(part: Uint8Array): Promise<R2MultipartUpload> {
    const started = upload ?? (await store.createMultipartUpload(key, { httpMetadata }));
    upload = started;
    uploaded.push(await withRetries(() => started.uploadPart(uploaded.length + 1, part)));
    return started;
  }

  return {
    add,
    async finish(last: Uint8Array): Promise<void> {
      if (upload === null) await store.put(key, last, { httpMetadata });
      else await (await add(last)).complete(uploaded);
    },
    async abort(): Promise<void> {
      await upload?.abort();
    },
  };
}

const partAttempts = 3;
const partPauses = { firstMs: 100, longestMs: 1_000 };

/**
 * Repeats a call to storage that failed. The sender of a body cannot repeat a part that was already
 * read, and would have to send everything again.
 */
async function withRetries<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === partAttempts) throw error;
      await scheduler.wait(getBackoffMs(tries, partPauses));
    }
  }
}

/** Deletes all objects whose key starts with a prefix. Idempotent. */
async function deletePrefix(store: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await store.list({ prefix });
    if (objects.length > 0) await store.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

const folders: Record<TurnOwner["type"], string> = {
  session: "sessions",
  project: "projects",
  "cron-run": "cron-runs",
};

/**
 * The R2 folder of an owner of turns. It is deleted with its owner; the folders of a cron's runs
 * are deleted with the cron.
 */
export function getOwnerFolder({ type, id, cronId }: TurnOwner): string {
  if (cronId !== undefined) return `${getCronFolder(cronId)}runs/${id}/`;
  return `${folders[type]}/${id}/`;
}

/** The folder of everything that the runs of a cron stored. */
export const getCronFolder = (cronId: string) => `crons/${cronId}/`;

/** Deletes all objects in a folder and stops counting them towards a quota. Idempotent. */
export async function deleteFolder({ DB, STORE }: Storage, folder: string): Promise<void> {
  await deletePrefix(STORE, folder);
  await deleteFolderSizes(DB, folder);
}

/** The R2 keys of archives: each save of a sandbox's work, and the prebuild layers of a project. */
export const getSandboxFolder = (sandboxKey: string) => `sandboxes/${sandboxKey}/`;
export const getWorkLayerKey = (sandboxKey: string, id: string) => `${getSandboxFolder(sandboxKey)}${id}.layer`;
/** The id of the save that has this key. */
export const getWorkLayerId = (key: string) => key.slice(key.lastIndexOf("/") + 1, -".layer".length);
export const getPrebuildLayerKey = (projectId: string, id: string) => `bases/${projectId}/${id}.layer`;
