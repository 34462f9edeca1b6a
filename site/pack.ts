// The docs as two objects of the bucket, so that a deployment saves them with two calls: the bytes
// of all files, and an index that replaces the previous one as a whole.
import { createHash } from "node:crypto";
import { type DocsIndex, docsIndexKey, docsPrefix } from "../src/docs/docs-key.ts";
import type { DocsFile } from "./bundle.ts";

export interface PackedObject {
  key: string;
  bytes: Uint8Array;
}

/** Packs the files. If the objects are saved in their order, the index names only what is there. */
export function createPack(files: DocsFile[]): PackedObject[] {
  const parts = files.map(({ base64 }) => Buffer.from(base64, "base64"));
  const bytes = Buffer.concat(parts);
  const index: DocsIndex = { pack: `${docsPrefix}pack-${hash(bytes)}`, files: {} };
  let at = 0;
  for (const [place, { path, kind }] of files.entries()) {
    const part = parts[place] ?? Buffer.alloc(0);
    index.files[path] = { at, length: part.length, kind, tag: hash(part) };
    at += part.length;
  }
  return [
    { key: index.pack, bytes },
    { key: docsIndexKey, bytes: Buffer.from(JSON.stringify(index)) },
  ];
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
