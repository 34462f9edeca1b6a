// The commits that a push brings along. Git writes them at the beginning of a pack, before trees and files, so the lineage of a pushed commit
// is read without the rest; and as a commit's id is the hash of what it says, parents included, what is read is also proven.
import { inflateSync } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { applyDelta } from "./pack-delta.ts";

interface Commit {
  id: string;
  parents: string[];
  content: Uint8Array;
}

const commitsMax = 5_000;
/** Of the pack, and of what its commits say. */
const bytesMax = 8 * 1_024 * 1_024;
const types = { commit: 1, deltaByPlace: 6, deltaById: 7 };

/** True when the commit, by the pack that begins at this place, is one of the ancestors or builds on one of them. */
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

/** The commits before the first object of another kind. */
async function readCommits(body: ByteReader, packStart: number, hash: string): Promise<Map<string, Commit>> {
  const byId = new Map<string, Commit>();
  const byPlace = new Map<number, Commit>();
  let held = 0;
  for (let at = packStart + 12; byId.size < commitsMax && held < bytesMax && at - packStart < bytesMax; ) {
    const place = at;
    const head = await body.slice(at, at + 64);
    const { type, size, length } = objectHead(head);
    at += length;
    let base: Commit | undefined;
    if (type === types.deltaByPlace) {
      const distance = distanceAt(head.subarray(length));
      base = byPlace.get(place - distance.value);
      at += distance.length;
    } else if (type === types.deltaById) {
      const idBytes = hash === "SHA-1" ? 20 : 32;
      base = byId.get(asHex(head.subarray(length, length + idBytes)));
      at += idBytes;
    }
    if ((type !== types.commit && !base) || size > bytesMax - held) break;
    // What cannot be made smaller grows by less than this.
    const packed = await body.slice(at, at + size + Math.ceil(size / 1_000) + 64);
    const inflated = inflate(packed, size);
    const content = inflated && (base ? applyDelta(base.content, inflated.content, bytesMax - held) : inflated.content);
    if (!inflated || !content) break;
    at += inflated.length;
    held += content.length;
    const commit = { id: await idOf(content, hash), parents: parentsIn(content), content };
    byId.set(commit.id, commit);
    byPlace.set(place, commit);
  }
  return byId;
}

/** The kind and size of an object: seven bits a byte, the lowest first, behind four with three of the kind. */
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

/** How far before a delta its base is: seven bits a byte, the highest first, each further byte counting from one. */
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

/** Inflates what begins here. `length` is how much of it that took. */
function inflate(packed: Uint8Array, size: number): { content: Uint8Array; length: number } | null {
  try {
    // The types leave out what `info` answers with.
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
