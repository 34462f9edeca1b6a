// Reads the commits of a pushed pack. Git writes commits before trees and blobs, so the ancestry of
// a pushed commit is known without reading the rest. A commit's id is the hash of its content,
// parents included, so a client cannot forge the ancestry.
import { inflateSync } from "node:zlib";
import { type BodyMemory, memoryIsFull } from "../../lib/byte-budget.ts";
import { createStreamError } from "../../lib/byte-stream.ts";
import { toHex } from "../../lib/hex.ts";
import { pushInspectionBytes } from "../../rules/limits.ts";
import type { ByteReader } from "./byte-reader.ts";

interface Commit {
  id: string;
  parents: string[];
  /**
   * Null once it is no longer in memory. Until then, other commits of the pack may be deltas of it.
   */
  content: Uint8Array | null;
}

/** A push with more commits than this is not inspected. */
export const commitsMax = 5_000;
/** One half is for the pack as it arrives, the other for its most recently used commits. */
const heldMax = pushInspectionBytes / 2;
/**
 * A limit on time rather than memory: the total size of all decompressed objects and applied
 * deltas.
 */
const madeMax = 4 * pushInspectionBytes;
const types = { commit: 1, offsetDelta: 6, refDelta: 7 };
/** The length of the pack header: its signature, its version and the number of its objects. */
const packHeadBytes = 12;

/**
 * `too-long`: the push is too large to be inspected. `unreadable`: the data is not a pack of
 * commits.
 */
export type Ancestry = "builds-on" | "does-not" | "too-long" | "unreadable";

/**
 * Whether the pack at `packStart` shows that the commit is one of `ancestors` or descends from one
 * of them.
 */
export async function readAncestry(
  body: ByteReader,
  memory: BodyMemory,
  packStart: number,
  { commit, ancestors }: { commit: string; ancestors: readonly string[] },
): Promise<Ancestry> {
  if (ancestors.includes(commit)) return "builds-on";
  const hash = commit.length === 64 ? "SHA-256" : "SHA-1";
  const { commits, isWhole } = await readCommits(body, memory, packStart, hash);
  const seen = new Set([commit]);
  for (const id of seen) {
    for (const parent of commits.get(id)?.parents ?? []) {
      if (ancestors.includes(parent)) return "builds-on";
      seen.add(parent);
    }
  }
  return isWhole === true ? "does-not" : isWhole;
}

interface ReadCommits {
  commits: Map<string, Commit>;
  /** True if no more commits follow. */
  isWhole: true | "too-long" | "unreadable";
}

/** Reads the commits before the first object of another kind. */
async function readCommits(
  body: ByteReader,
  memory: BodyMemory,
  packStart: number,
  hash: string,
): Promise<ReadCommits> {
  const commits = new Map<string, Commit>();
  const byOffset = new Map<number, Commit>();
  const contents = holdContents(memory);
  const until = (isWhole: ReadCommits["isWhole"]) => ({ commits, isWhole });
  try {
    const objects = readObjectCount(await body.slice(packStart, packStart + packHeadBytes));
    if (objects === null) return until("unreadable");
    let madeBytes = 0;
    let at = packStart + packHeadBytes;
    for (let read = 0; read < objects; read++) {
      const left = Math.min(heldMax - (at - packStart), madeMax - madeBytes);
      if (read >= commitsMax || left <= 0) return until("too-long");
      const offset = at;
      const head = await body.slice(at, at + 64);
      const { type, size, length } = objectHead(head);
      at += length;
      let base: Commit | undefined;
      if (type === types.offsetDelta) {
        const distance = distanceAt(head.subarray(length));
        base = byOffset.get(offset - distance.value);
        at += distance.length;
      } else if (type === types.refDelta) {
        const idBytes = hash === "SHA-1" ? 20 : 32;
        base = commits.get(toHex(head.subarray(length, length + idBytes)));
        at += idBytes;
      }
      if (type !== types.commit && !base) return until(type === 0 || type === 5 ? "unreadable" : true);
      if (size > left || base?.content === null) return until("too-long");
      // Deflate makes incompressible data longer, but by less than this.
      const inflated = inflate(await body.slice(at, at + size + Math.ceil(size / 1_000) + 64), size);
      if (!inflated) return until("unreadable");
      at += inflated.length;
      madeBytes += size;
      let { content } = inflated;
      if (base?.content) {
        if (lengthAfter(content) > heldMax) return until("too-long");
        const made = applyDelta(base.content, content, heldMax);
        if (!made) return until("unreadable");
        contents.use(base);
        madeBytes += made.length;
        content = made;
      }
      const commit = { id: await getObjectId(content, hash), parents: listParents(content), content };
      contents.hold(commit);
      commits.set(commit.id, commit);
      byOffset.set(offset, commit);
    }
    return until(true);
  } finally {
    contents.drop();
  }
}

/** Keeps the contents of the most recently read or used commits in memory, and drops the others. */
function holdContents(memory: BodyMemory) {
  const held = new Set<Commit>();
  let bytes = 0;
  const give = (length: number) => {
    bytes -= length;
    memory.give(length);
  };
  return {
    hold(commit: Commit) {
      const length = commit.content?.length ?? 0;
      for (const oldest of held) {
        if (bytes + length <= heldMax) break;
        held.delete(oldest);
        give(oldest.content?.length ?? 0);
        oldest.content = null;
      }
      if (!memory.take(length)) throw createStreamError(memoryIsFull);
      bytes += length;
      held.add(commit);
    },
    use(commit: Commit) {
      held.delete(commit);
      held.add(commit);
    },
    drop: () => give(bytes),
  };
}

/** The number of objects in a pack; null if the data is not a pack. */
function readObjectCount(head: Uint8Array): number | null {
  const isPack = head.length === packHeadBytes && String.fromCharCode(...head.subarray(0, 4)) === "PACK";
  return isPack ? new DataView(head.buffer, head.byteOffset, packHeadBytes).getUint32(8) : null;
}

/**
 * Reads the type and the inflated size of an object. The first byte has three bits of type and the
 * lowest four bits of size. Each further byte has seven bits, lowest first.
 */
function objectHead(bytes: Uint8Array): { type: number; size: number; length: number } {
  const [first = 0] = bytes;
  let size = first & 15;
  let length = 1;
  for (let byte = first, scale = 16; byte & 128 && length < 8; scale *= 128) {
    byte = bytes[length] ?? 0;
    size += (byte & 127) * scale;
    length++;
  }
  return { type: (first >> 4) & 7, size, length };
}

/**
 * Reads the distance in bytes from a delta back to its base: seven bits per byte, highest first.
 * Each further byte counts from one.
 */
function distanceAt(bytes: Uint8Array): { value: number; length: number } {
  let byte = bytes[0] ?? 0;
  let value = byte & 127;
  let length = 1;
  while (byte & 128 && length < 8) {
    byte = bytes[length] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
    length++;
  }
  return { value, length };
}

/**
 * Inflates the object at the start of `packed`. `length` is the number of consumed bytes. Null if
 * the size differs from the declared one.
 */
function inflate(packed: Uint8Array, size: number): { content: Uint8Array; length: number } | null {
  try {
    // The declared type leaves out the fields that `info` adds.
    const inflated = inflateSync(packed, { info: true, maxOutputLength: size + 1 }) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    const { buffer, engine } = inflated;
    return buffer.length === size ? { content: buffer, length: engine.bytesWritten } : null;
  } catch {
    return null;
  }
}

async function getObjectId(content: Uint8Array, hash: string): Promise<string> {
  const head = new TextEncoder().encode(`commit ${content.length}\0`);
  const whole = new Uint8Array(head.length + content.length);
  whole.set(head);
  whole.set(content, head.length);
  return toHex(new Uint8Array(await crypto.subtle.digest(hash, whole)));
}

/** The parents as git reads them. Such a line is no parent if it is not right after the tree. */
function listParents(content: Uint8Array): string[] {
  const commit = new TextDecoder("latin1").decode(content);
  const [, parents = ""] = /^tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)/.exec(commit) ?? [];
  return [...parents.matchAll(/ ([0-9a-f]+)/g)].flatMap(([, id]) => id ?? []);
}

/** The length of the object that a delta produces, which is the second number of the delta. */
function lengthAfter(delta: Uint8Array): number {
  let at = 0;
  const size = () => {
    let value = 0;
    for (let scale = 1; at < delta.length; scale *= 128) {
      const byte = delta[at++] ?? 0;
      value += (byte & 127) * scale;
      if (!(byte & 128)) break;
    }
    return value;
  };
  size();
  return size();
}

/**
 * Applies a delta to its base: copies out of the base, and new bytes. Null if the delta does not
 * fit the base, or if the result is longer than `bytesMax`: a delta of a few bytes can request
 * gigabytes.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array, bytesMax: number): Uint8Array | null {
  let at = 0;
  const next = () => delta[at++] ?? 0;

  function size(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = next();
      value += (byte & 127) * scale;
      if (!(byte & 128) || at >= delta.length) return value;
    }
  }

  /**
   * Reads a number, lowest byte first. A byte whose bit in `mask` is not set is zero and is
   * omitted.
   */
  function sparse(mask: number, bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index++) if (mask & (1 << index)) value += next() * 256 ** index;
    return value;
  }

  if (size() !== base.length) return null;
  const wanted = size();
  if (wanted > bytesMax) return null;
  const whole = new Uint8Array(wanted);
  let made = 0;
  while (at < delta.length) {
    const step = next();
    let piece: Uint8Array;
    if (step & 128) {
      const from = sparse(step & 15, 4);
      const length = sparse((step >> 4) & 7, 3) || 65_536;
      if (from + length > base.length) return null;
      piece = base.subarray(from, from + length);
    } else {
      piece = delta.subarray(at, at + step);
      at += step;
      if (step === 0 || piece.length !== step) return null;
    }
    if (made + piece.length > wanted) return null;
    whole.set(piece, made);
    made += piece.length;
  }
  return made === wanted ? whole : null;
}
