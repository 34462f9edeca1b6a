// The record of a sandbox's base: every path of the base with the stamp of its unchanged file. A
// file whose stamp still matches is left out of the work layer.
import type { BigIntStats } from "node:fs";
import { closeSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
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
  return isSettled(stats) ? toStamp(stats) : noStamp;
}

/** False for a file that has just changed. */
export const isSettled = ({ ctimeMs }: BigIntStats): boolean => Number(ctimeMs) < Date.now() - settledAfterMs;

/** Waits until every earlier write has a reliable stamp. */
export async function waitUntilSettled(): Promise<void> {
  const settledAt = performance.now() + settledAfterMs + 10;
  // After long work without a pause, Node's timers count from its beginning and fire early.
  for (let left = settledAfterMs; left > 0; left = settledAt - performance.now()) await sleep(left);
}

/** No path contains it. */
const separator = "\0";

/**
 * The record, if it is of this base. It is a list of paths, each with its stamp. The last path is
 * empty, and the base's name follows. Without that end, the record is incomplete.
 */
export function readBaseRecord(folders: Folders, baseId: string): PrebuildRecord | null {
  const stamps = new Map<RawPath, Stamp>();
  try {
    let path: RawPath | null = null;
    for (const part of readParts(folders.baseRecord)) {
      if (path === null) path = part;
      else if (path === "") {
        const base: PrebuildName = JSON.parse(part);
        return base.id === baseId ? { base, stamps } : null;
      } else {
        stamps.set(path, part);
        path = null;
      }
    }
  } catch {
    // The record is missing or broken, so all work is saved.
  }
  return null;
}

/** The parts of a file that end with a separator. */
function* readParts(path: string): Generator<string> {
  const file = openSync(path, "r");
  try {
    const piece = Buffer.allocUnsafe(bufferedCharacters);
    let rest = "";
    for (let bytes = readSync(file, piece); bytes > 0; bytes = readSync(file, piece)) {
      const parts = (rest + piece.toString("latin1", 0, bytes)).split(separator);
      rest = parts.pop() ?? "";
      yield* parts;
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
  let text = "";
  const write = () => {
    writeFileSync(file, text, "latin1");
    text = "";
  };
  return {
    note(path, stamp) {
      text += path + separator + stamp + separator;
      if (text.length > bufferedCharacters) write();
    },
    finish(base) {
      text += separator + JSON.stringify(base) + separator;
      write();
      closeSync(file);
    },
  };
}

export function deletePrebuildRecord(folders: Folders): void {
  rmSync(folders.baseRecord, { force: true });
}
