// Writing a tar: its headers are those that other programs read, whatever the names and sizes are.
import { extract, type Header } from "tar-stream";
import { expect, test } from "vitest";
import { readTar, type TarHeader } from "../../../sandbox-program/archive/layers/tar-reader.ts";
import { createHeader, type EntryHeader } from "../../../sandbox-program/archive/layers/tar-writer.ts";

const plain: EntryHeader = { name: "file", type: "file", mode: 0o100644, seconds: 1, linkname: "", pax: [] };

function write(header: EntryHeader, size: number): Buffer {
  const open = createHeader(header, size);
  // The headers may come after other bytes.
  const block = Buffer.alloc(open.bytes + 512);
  open.write(block, 512, size);
  return block.subarray(512);
}

async function readElsewhere(tar: Buffer): Promise<Header> {
  const reader = extract();
  const found = Promise.withResolvers<Header>();
  reader.on("entry", (header) => found.resolve(header));
  reader.on("error", found.reject);
  reader.write(tar);
  return await found.promise;
}

function readHere(tar: Buffer): TarHeader | undefined {
  let found: TarHeader | undefined;
  readTar((header) => {
    found = header;
    return { write() {}, end() {} };
  }).push(tar);
  return found;
}

const long = `${"folder/".repeat(40)}name`;
const rows: [string, Partial<EntryHeader>, number][] = [
  ["a file", {}, 0],
  ["every bit of a mode", { mode: 0o104755 }, 1],
  ["a name of 100 bytes", { name: "n".repeat(100) }, 1],
  ["a name of 101 bytes", { name: "n".repeat(101) }, 1],
  ["a long name and a long target", { type: "symlink", name: long, linkname: `${long}-target` }, 0],
  ["a record whose length needs another digit", { pax: [["key", "v".repeat(91)]] }, 1],
  ["the largest size of tar's own field", {}, 8 * 1024 ** 3 - 1],
  ["a larger size", {}, 8 * 1024 ** 3],
];

test.each(rows)("%s is read by this program and by others", async (_, more, size) => {
  const header = { ...plain, ...more };
  const tar = write(header, size);
  const { name, type, linkname } = header;
  const mode = header.mode & 0o7777;
  expect(readHere(tar)).toMatchObject({ name, type, size, mode, linkname });
  expect(await readElsewhere(tar)).toMatchObject({ name, type, size, mode, linkname: linkname || null });
});
