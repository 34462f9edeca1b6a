// Packs files into the tar of a layer. Small files are read whole, large files in pieces.
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { blockBytes } from "./layer.ts";
import { type RawPath, toSystemPath } from "./raw-path.ts";
import { createEntryHeader, removedEntry } from "./tar-entry.ts";
import { createHeader, createTextHeader, type OpenHeader, tarBlockBytes, toWholeBlocks } from "./tar-writer.ts";
import { readUnlessGone, type TreeEntry } from "./tree.ts";

/** The files of a layer. */
export interface Packed {
  entries: Iterable<TreeEntry>;
  /** Called for each entry whose file was still there. */
  added(entry: TreeEntry): void;
  /** The deleted paths of the base. Called after the last entry. */
  listRemoved(): RawPath[];
}

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ownerMayRead = 0o400;
const permissions = 0o7777;

/** Yields the tar of entries below `root` in pieces. Files are read while it is consumed. */
export function* createTar(root: string, { entries, added, listRemoved }: Packed): Generator<Buffer> {
  let block = Buffer.alloc(blockBytes);
  let at = 0;
  /** The first path of each file with several hard links. */
  const firstPlaces = new Map<bigint, RawPath>();

  /** Yields what is full, so that the next bytes fit. */
  function* makeRoom(bytes: number): Generator<Buffer> {
    if (block.length - at >= bytes) return;
    if (at > 0) yield block.subarray(0, at);
    block = Buffer.alloc(Math.max(blockBytes, bytes));
    at = 0;
  }

  function* putHeader(header: OpenHeader, size: number): Generator<Buffer> {
    yield* makeRoom(header.bytes);
    header.write(block, at, size);
    at += header.bytes;
  }

  function* putFile(header: OpenHeader, file: number, size: number): Generator<Buffer> {
    const bytes = header.bytes + toWholeBlocks(size);
    if (bytes > blockBytes) return yield* putLarge(header, file, size);
    yield* makeRoom(bytes);
    const read = readInto(file, block, at + header.bytes, size);
    header.write(block, at, read);
    at += header.bytes + toWholeBlocks(read);
  }

  function* putLarge(header: OpenHeader, file: number, size: number): Generator<Buffer> {
    yield* putHeader(header, size);
    for (let rest = size; rest > 0; ) {
      yield* makeRoom(tarBlockBytes);
      const length = Math.min(rest, block.length - at);
      // The file may become shorter while it is read. Zeros fill the announced size; the changed
      // file is saved again with the next layer.
      readInto(file, block, at, length);
      at += length;
      rest -= length;
    }
    at = toWholeBlocks(at);
  }

  function* addFile(entry: TreeEntry): Generator<Buffer, boolean> {
    const { path, stats } = entry;
    const first = stats.nlink > 1n ? firstPlaces.get(stats.ino) : undefined;
    if (first !== undefined) {
      yield* putHeader(createHeader(createEntryHeader(entry, "link", first), 0), 0);
      return true;
    }
    const file = readUnlessGone(() => openForReading(toSystemPath(root, path), Number(stats.mode) & permissions));
    if (file === undefined) return false;
    try {
      const { size } = fstatSync(file);
      yield* putFile(createHeader(createEntryHeader(entry, "file"), size), file, size);
    } finally {
      closeSync(file);
    }
    if (stats.nlink > 1n) firstPlaces.set(stats.ino, path);
    return true;
  }

  function* add(entry: TreeEntry): Generator<Buffer, boolean> {
    const { path, stats } = entry;
    if (stats.isFile()) return yield* addFile(entry);
    const target = stats.isDirectory()
      ? ""
      : readUnlessGone(() => readlinkSync(toSystemPath(root, path), { encoding: "latin1" }));
    if (target === undefined) return false;
    yield* putHeader(createHeader(createEntryHeader(entry, target === "" ? "directory" : "symlink", target), 0), 0);
    return true;
  }

  let isCheckoutRead = false;
  for (const entry of entries) {
    // A file that follows its checkout links to none of it, because git may have replaced that.
    if (entry.isLast && !isCheckoutRead) firstPlaces.clear();
    isCheckoutRead ||= entry.isLast === true;
    if (yield* add(entry)) added(entry);
  }
  const removed = Buffer.from(JSON.stringify(listRemoved()));
  yield* putHeader(createTextHeader(removedEntry, removed.length), removed.length);
  yield block.subarray(0, at);
  yield Buffer.concat([removed, Buffer.alloc(toWholeBlocks(removed.length) - removed.length + 2 * tarBlockBytes)]);
}

/** Opens a file, even if its mode forbids its owner to read it. */
function openForReading(path: string | Buffer, mode: number): number {
  if ((mode & ownerMayRead) !== 0) return openSync(path, readOnly);
  chmodSync(path, mode | ownerMayRead);
  try {
    return openSync(path, readOnly);
  } finally {
    chmodSync(path, mode);
  }
}

/** Reads the next bytes of a file, at most `length`. Returns their number. */
function readInto(file: number, block: Buffer, at: number, length: number): number {
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, block, at + filled, length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}
