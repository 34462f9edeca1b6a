// The record of a sandbox's base: every path of the base with the stamp of its unchanged file. A
// file whose stamp still matches is left out of the work layer.
import type { BigIntStats } from "node:fs";
import { closeSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../../folders.ts";
import type { PrebuildName } from "./layer.ts";
import type { RawPath } from "./raw-path.ts";

/**
 * The stamp of a file. Every change of content, mode or links changes it, because the kernel
 * updates the change time.
 */
export type Stamp = string;

/** A stamp that no file has. */
export const noStamp: Stamp = "";

export interface PrebuildRecord {
  base: PrebuildName;
  stamps: Map<RawPath, Stamp>;
}

/**
 * Longer than a tick of the kernel's clock. Two changes within one tick have the same change time.
 */
const settledAfterMs = 50;
const bufferedCharacters = 64 * 1_024;

export function toStamp({ mode, size, mtimeNs, ctimeNs, ino }: BigIntStats): Stamp {
  return `${mode}.${size}.${mtimeNs}.${ctimeNs}.${ino}`;
}

/**
 * The stamp of a file for the record. A file that has just changed gets `noStamp`, because its next
 * change might not show.
 */
export function toSettledStamp(stats: BigIntStats): Stamp {
  return Number(stats.ctimeMs) < Date.now() - settledAfterMs ? toStamp(stats) : noStamp;
}

/** Waits until every earlier write has a reliable stamp. */
export async function waitUntilSettled(): Promise<void> {
  const settledAt = performance.now() + settledAfterMs + 10;
  // After long work without a pause, Node's timers count from its beginning and fire early.
  for (let left = settledAfterMs; left > 0; left = settledAt - performance.now()) await sleep(left);
}

/**
 * The record, if it is of this base. Its last line names the base. Without that line the record is
 * incomplete.
 */
export function readBaseRecord(folders: Folders, baseId: string): PrebuildRecord | null {
  const stamps = new Map<RawPath, Stamp>();
  let base: PrebuildName | null = null;
  try {
    for (const line of readLines(folders.baseRecord)) {
      const read: [RawPath, Stamp] | PrebuildName = JSON.parse(line);
      if (Array.isArray(read)) stamps.set(...read);
      else base = read;
    }
  } catch {
    // The record is missing or incomplete, so all work is saved.
    return null;
  }
  return base?.id === baseId ? { base, stamps } : null;
}

/** The lines of a file, without the end of an incomplete one. */
function* readLines(path: string): Generator<string> {
  const file = openSync(path, "r");
  try {
    const decoder = new StringDecoder("utf8");
    const piece = Buffer.allocUnsafe(bufferedCharacters);
    let text = "";
    for (let bytes = readSync(file, piece); bytes > 0; bytes = readSync(file, piece)) {
      text += decoder.write(piece.subarray(0, bytes));
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        yield text.slice(start, end);
        start = end + 1;
      }
      text = text.slice(start);
    }
  } finally {
    closeSync(file);
  }
}

export interface PrebuildNotes {
  note(path: RawPath, stamp: Stamp): void;
  finish(base: PrebuildName): void;
}

/** Starts a new record and discards the old one. */
export function startPrebuildRecord(folders: Folders): PrebuildNotes {
  const file = openSync(folders.baseRecord, "w", 0o600);
  let lines = "";
  const write = () => {
    writeFileSync(file, lines);
    lines = "";
  };
  return {
    note(path, stamp) {
      lines += `${JSON.stringify([path, stamp])}\n`;
      if (lines.length > bufferedCharacters) write();
    },
    finish(base) {
      lines += `${JSON.stringify(base)}\n`;
      write();
      closeSync(file);
    },
  };
}

export function deletePrebuildRecord(folders: Folders): void {
  rmSync(folders.baseRecord, { force: true });
}
