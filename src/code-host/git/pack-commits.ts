// Reads the commits of a pushed pack. Git writes commits before trees and blobs, so the ancestry of a pushed commit is known without reading
// the rest. A commit's id is the hash of its content, parents included, so a client cannot forge the ancestry.
import { inflateSync } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { applyDelta } from "./pack-delta.ts";

interface Commit {
  id: string;
  parents: string[];
  content: Uint8Array;
}

const commitsMax = 5_000;
/** Limits both the bytes that are read of the pack and the inflated size of its commits. */
const bytesMax = 8 * 1_024 * 1_024;
const types = { commit: 1, offsetDelta: 6, refDelta: 7 };

/**
 * Returns true if the pack at `packStart` shows that the commit is one of `ancestors` or descends from one of them. False also if the pack
 * is too large or malformed.
 */
export async function buildsOn(
  body: ByteReader,
  packStart: number,
  { commit, ancestors }: { commit: string; ancestors: readonly string[] },
): Promise<boolean> {
  if (ancestors.includes(commit)) return true;
  const commits = await readCommits(body, packStart, commit.length === 64 ? "SHA-256" : "SHA-1");
  const seen = new Set([commit]);
  for (const id of seen) {
    for (const parent of commits.get(id)?.parents ?? []) {
      if (ancestors.includes(parent)) return true;
      seen.add(parent);
    }
  }
  return false;
}

/** Reads the commits before the first object of another kind. */
async function readCommits(body: ByteReader, packStart: number, hash: string): Promise<Map<string, Commit>> {
  const byId = new Map<string, Commit>();
  const byOffset = new Map<number, Commit>();
  let inflatedBytes = 0;
  for (let at = packStart + 12; byId.size < commitsMax && inflatedBytes < bytesMax && at - packStart < bytesMax; ) {
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
      base = byId.get(asHex(head.subarray(length, length + idBytes)));
      at += idBytes;
    }
    if ((type !== types.commit && !base) || size > bytesMax - inflatedBytes) break;
    // Deflate makes incompressible data longer, but by less than this.
    const packed = await body.slice(at, at + size + Math.ceil(size / 1_000) + 64);
    const inflated = inflate(packed, size);
    const content =
      inflated && (base ? applyDelta(base.content, inflated.content, bytesMax - inflatedBytes) : inflated.content);
    if (!inflated || !content) break;
    at += inflated.length;
    inflatedBytes += content.length;
    const commit = { id: await idOf(content, hash), parents: parentsIn(content), content };
    byId.set(commit.id, commit);
    byOffset.set(offset, commit);
  }
  return byId;
}

/**
 * Reads the type and the inflated size of an object. The first byte holds three bits of type and the lowest four of size; each further
 * byte holds seven bits, the lowest first.
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

/** Reads how many bytes before a delta its base begins: seven bits a byte, the highest first, each further byte counting from one. */
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

/** Inflates the object at the start of `packed`. `length` is the number of consumed bytes. Null if the size is not as announced. */
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

async function idOf(content: Uint8Array, hash: string): Promise<string> {
  const head = new TextEncoder().encode(`commit ${content.length}\0`);
  const whole = new Uint8Array(head.length + content.length);
  whole.set(head);
  whole.set(content, head.length);
  return asHex(new Uint8Array(await crypto.subtle.digest(hash, whole)));
}

function parentsIn(content: Uint8Array): string[] {
  const [headers = ""] = new TextDecoder("latin1").decode(content).split("\n\n", 1);
  return [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, id]) => (id ? [id] : []));
}

function asHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
