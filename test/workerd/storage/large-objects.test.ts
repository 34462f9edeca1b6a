// Objects that are too large for memory: written in parts, and read in parts.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import { readStream, writeStream } from "../../../src/storage/objects.ts";

const chunkBytes = 1_000_003;

/** Stores an object of that many chunks, and returns its key and its hash. */
async function store(chunks: number): Promise<{ key: string; hash: string }> {
  const key = `large-objects/${createId()}`;
  const all = new Uint8Array(chunks * chunkBytes).map((_, at) => (at * 7) % 251);
  async function* pieces() {
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
  }
  expect(await writeStream(env.STORE, key, pieces())).toBe(all.length);
  return { key, hash: await toHash(all) };
}

const toHash = async (bytes: BufferSource) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].join(" ");

test.each([1, 5, 6, 22])("an object of %s MB is read as it was written", async (chunks) => {
  const { key, hash } = await store(chunks);
  const opened = await readStream(env.STORE, key);
  expect(opened?.size).toBe(chunks * chunkBytes);
  expect(await toHash(await new Response(opened?.body).arrayBuffer())).toBe(hash);
});

test("a missing object is not opened, and one that is deleted while it is read breaks off", async () => {
  expect(await readStream(env.STORE, "large-objects/none")).toBeNull();
  const { key } = await store(30);
  const opened = await readStream(env.STORE, key);
  const reader = opened?.body.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await env.STORE.delete(key);
  await expect(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  ).rejects.toThrow();
});

test("a reader that gives up leaves nothing open", async () => {
  const { key } = await store(12);
  const opened = await readStream(env.STORE, key);
  await opened?.body.cancel();
  await env.STORE.delete(key);
  expect(await readStream(env.STORE, key)).toBeNull();
});
