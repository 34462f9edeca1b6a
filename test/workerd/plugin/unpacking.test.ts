// Reading archives: bombs, silence, and the limit of what is unpacked.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readUnpacked, withAbort } from "../../../src/plugin/repository.ts";
import { pluginArchiveUnpackedBytes } from "../../../src/rules/limits.ts";

test("a body that falls silent ends at its timeout", async () => {
  const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([31])) });
  const read = async () => {
    for await (const _ of readUnpacked(withAbort(silent, AbortSignal.timeout(50)), new AbortController().signal));
  };
  await expect(read()).rejects.toThrow(/timeout/i);
});

describe("unpacking", () => {
  test("reads no more of a bomb than its reader does", async () => {
    const bomb = gzipSync(new Uint8Array(64 * 1_024 * 1_024));
    const chunks = readUnpacked(new Response(bomb).body as ReadableStream<Uint8Array>, AbortSignal.timeout(60_000));
    let read = 0;
    for await (const chunk of chunks) {
      expect(chunk.length).toBeLessThanOrEqual(64 * 1_024);
      read += chunk.length;
      if (read > 4 * 1_024 * 1_024) break;
    }
    expect(read).toBeLessThan(5 * 1_024 * 1_024);
  });

  test("ends at the limit", async () => {
    const part = gzipSync(new Uint8Array(16 * 1_024 * 1_024));
    const parts = Array.from({ length: pluginArchiveUnpackedBytes / (16 * 1_024 * 1_024) + 1 }, () => part);
    const read = async () => {
      for await (const _ of readUnpacked(new Blob(parts).stream(), AbortSignal.timeout(60_000)));
    };
    await expect(read()).rejects.toThrow(/too long when unpacked/);
  });
});
