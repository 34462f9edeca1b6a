// Reading a tar: whatever the pieces are that it comes in, and never past what is broken in it.
import { type Header, pack } from "tar-stream";
import { expect, test } from "vitest";
import { readTar, type TarHeader } from "../../../sandbox-program/archive/layers/tar-reader.ts";

type Entry = Pick<TarHeader, "name" | "type" | "linkname"> & { mtime: string; content: string };

const long = `${"folder/".repeat(30)}${"n".repeat(120)}`;
const given: (Partial<Header> & { name: string; content?: string })[] = [
  { name: "folder", type: "directory" },
  ...[0, 1, 511, 512, 513, 70_000].map((size) => ({ name: `folder/${size}`, content: "x".repeat(size) })),
  { name: long, content: "long", pax: { mtime: "-1.5", "SWITCHYARD.path": "ff" } },
  { name: "für", type: "symlink", linkname: long },
  { name: "hard", type: "link", linkname: "folder/1" },
];

async function createTar(entries: typeof given): Promise<Buffer> {
  const tar = pack();
  for (const { content = "", ...header } of entries) tar.entry({ ...header, size: content.length }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<unknown> as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function read(tar: Buffer, pieceBytes: number): Entry[] {
  const entries: Entry[] = [];
  const reader = readTar(({ name, type, linkname, mtime }) => {
    const entry = { name, type, linkname, mtime, content: "" };
    entries.push(entry);
    return {
      write(piece) {
        entry.content += piece;
      },
      end() {},
    };
  });
  for (let at = 0; at < tar.length; at += pieceBytes) reader.push(tar.subarray(at, at + pieceBytes));
  reader.end();
  return entries;
}

test("every entry is read completely, in any pieces of the tar", async () => {
  const tar = await createTar(given);
  const entries = read(tar, tar.length);
  const bytes = (text: string) => Buffer.from(text).toString("latin1");
  expect(entries.map(({ name, content }) => [name.replace(/\/$/, ""), content])).toEqual(
    given.map(({ name, content = "" }) => [bytes(name), content]),
  );
  expect(entries.slice(-3)).toMatchObject([
    { type: "file", mtime: "-1.5" },
    { type: "symlink", linkname: long },
    { type: "link", linkname: "folder/1" },
  ]);
  for (const pieceBytes of [1, 7, 512, 1_000, 65_536]) expect(read(tar, pieceBytes)).toEqual(entries);
});

test("a tar that ends within an entry is damaged", async () => {
  const tar = await createTar([{ name: "file", content: "x".repeat(600) }]);
  for (const end of [100, 700, 1_200]) expect(() => read(tar.subarray(0, end), 512)).toThrow("within an entry");
});

test("a header without a length, or a damaged pax header, is refused", async () => {
  const pax = await createTar([{ name: "file", pax: { key: "value" } }]);
  const broken = Buffer.from(pax);
  broken.write("99", 512);
  expect(() => read(broken, 512)).toThrow("broken pax header");
  const sizeless = Buffer.from(pax);
  sizeless.write("nonsense", 124);
  expect(() => read(sizeless, 512)).toThrow("without a size");
});
