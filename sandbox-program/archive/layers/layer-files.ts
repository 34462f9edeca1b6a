// Adds files to the tar of a layer. Small files are read whole, large files in pieces.
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { type Pack, pack } from "tar-stream";
import { blockBytes } from "./layer.ts";
import { type RawPath, toPathBytes } from "./raw-path.ts";
import { createEntryHeader, removedEntry } from "./tar-entry.ts";
import { readUnlessGone, type TreeEntry } from "./tree.ts";

export interface LayerFiles {
  /** The tar stream. It ends after `finish`. */
  tar: AsyncIterable<Uint8Array>;
  /** Adds a file with its current content. False if it has been deleted meanwhile. */
  add(entry: TreeEntry): Promise<boolean>;
  finish(removed: RawPath[]): Promise<void>;
  /** Ends the tar stream with an error. */
  fail(error: Error): void;
}

type Sink = ReturnType<Pack["entry"]>;

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ownerMayRead = 0o400;
const permissions = 0o7777;

/** Collects files of the tree below `root`. */
export function collectFiles(root: string): LayerFiles {
  const tar = pack();
  /** The first path of each file with several hard links. */
  const firstPlaces = new Map<bigint, RawPath>();

  function put(header: ReturnType<typeof createEntryHeader>, content: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      tar.entry(header, content, (error) => (error ? reject(error) : resolve()));
    });
  }

  async function addFile(entry: TreeEntry): Promise<boolean> {
    const { path, stats } = entry;
    const first = stats.nlink > 1n ? firstPlaces.get(stats.ino) : undefined;
    if (first !== undefined) {
      await put(createEntryHeader(entry, "link", 0, first), new Uint8Array());
      return true;
    }
    const file = readUnlessGone(() => openForReading(toPathBytes(root, path), Number(stats.mode) & permissions));
    if (file === undefined) return false;
    try {
      const { size } = fstatSync(file);
      if (size <= blockBytes) {
        const content = readBlock(file, size);
        await put(createEntryHeader(entry, "file", content.length), content);
      } else {
        await putLarge(entry, file, size);
      }
    } finally {
      closeSync(file);
    }
    if (stats.nlink > 1n) firstPlaces.set(stats.ino, path);
    return true;
  }

  async function putLarge(entry: TreeEntry, file: number, size: number): Promise<void> {
    const done = Promise.withResolvers<void>();
    const sink = tar.entry(createEntryHeader(entry, "file", size), (error) =>
      error ? done.reject(error) : done.resolve(),
    );
    // Awaited only at the end. Without a handler, an early failure would be an unhandled rejection.
    done.promise.catch(() => {});
    for (let rest = size; rest > 0; ) {
      let block = readBlock(file, Math.min(rest, blockBytes));
      // The file became shorter while it was read. Zeros fill the announced size; the changed file
      // is saved again with the next layer.
      if (block.length === 0) block = Buffer.alloc(Math.min(rest, blockBytes));
      rest -= block.length;
      if (!sink.write(block)) await Promise.race([drained(sink), done.promise]);
    }
    sink.end(null);
    await done.promise;
  }

  return {
    tar: tar as AsyncIterable<unknown> as AsyncIterable<Uint8Array>,
    async add(entry) {
      const { path, stats } = entry;
      if (stats.isDirectory()) {
        await put(createEntryHeader(entry, "directory", 0), new Uint8Array());
        return true;
      }
      if (!stats.isSymbolicLink()) return await addFile(entry);
      const target = readUnlessGone(() => readlinkSync(toPathBytes(root, path), { encoding: "latin1" }));
      if (target === undefined) return false;
      await put(createEntryHeader(entry, "symlink", 0, target), new Uint8Array());
      return true;
    },
    async finish(removed) {
      const content = Buffer.from(JSON.stringify(removed));
      await new Promise<void>((resolve, reject) => {
        tar.entry({ name: removedEntry, size: content.length }, content, (error) =>
          error ? reject(error) : resolve(),
        );
      });
      tar.finalize();
    },
    fail: (error) => tar.destroy(error),
  };
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => sink.once("drain", () => resolve()));
}

/** Opens a file, even if its mode forbids its owner to read it. */
function openForReading(path: Buffer, mode: number): number {
  if ((mode & ownerMayRead) !== 0) return openSync(path, readOnly);
  chmodSync(path, mode | ownerMayRead);
  try {
    return openSync(path, readOnly);
  } finally {
    chmodSync(path, mode);
  }
}

/** Reads the next bytes of a file, at most `length`. */
function readBlock(file: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, block, filled, length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return block.subarray(0, filled);
}
