// The beginning of a stream of bytes, inspected before the stream is read.
import { expect, it } from "vitest";
import { withStart } from "../../../src/lib/byte-stream.ts";

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const piece of bytes) read.push(piece);
  return Buffer.concat(read).toString();
}

it.each<[pieces: string[], start: string]>([
  [[], ""],
  [["a"], "a"],
  [["abcdefgh"], "abcd"],
  [["a", "b", "c", "d", "e", "f"], "abcd"],
  [["abc", "def"], "abcd"],
  [["abcd", ""], "abcd"],
])("of %j is %j, and the complete stream follows", async (texts, start) => {
  const started = await withStart(pieces(...texts), 4);
  expect(new TextDecoder().decode(started.start)).toBe(start);
  expect(await readText(started.all)).toBe(texts.join(""));
});

it("reads no further than necessary, and closes a stream that is not read to its end", async () => {
  let read = 0;
  let isClosed = false;
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        read += 1;
        yield new Uint8Array(3);
      }
    } finally {
      isClosed = true;
    }
  }
  const started = await withStart(counted(), 4);
  expect([read, isClosed]).toEqual([2, false]);
  await started.close();
  expect([read, isClosed]).toEqual([2, true]);
});
