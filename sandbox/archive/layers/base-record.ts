// The record of the base that a sandbox stands on: every path of the base, and how its file was found when it was known to be as in the
// base. A file that is still found so has not been changed.
import type { BigIntStats } from "node:fs";
import { closeSync, createReadStream, openSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../../folders.ts";
import type { BaseName } from "./layer.ts";
import type { RawPath } from "./raw-path.ts";

/** How a file was found. Every change of its content, mode or links gives it another one: the kernel sets its change time. */
export type Stamp = string;

/** No file is found so. */
export const noStamp: Stamp = "";

export interface BaseRecord {
  base: BaseName;
  stamps: Map<RawPath, Stamp>;
}

/** Longer than the kernel's clock ticks, by which two changes can have one change time. */
const settledAfterMs = 50;
const bufferedCharacters = 64 * 1_024;

export function stampOf({ mode, size, mtimeNs, ctimeNs, ino }: BigIntStats): Stamp {
  return [mode, size, mtimeNs, ctimeNs, ino].map((part) => part.toString(36)).join(".");
}

/** The stamp of a file for the record. One that was changed just now has none, for the next change might not show. */
export function settledStamp(stats: BigIntStats): Stamp {
  return Number(stats.ctimeMs) < Date.now() - settledAfterMs ? stampOf(stats) : noStamp;
}

/** Waits until whatever was written before has a stamp for the record. */
export async function untilSettled(): Promise<void> {
  await sleep(settledAfterMs + 10);
}

/** The record, when it is the one of this base. Its last line names the base: one without was never finished. */
export async function readBaseRecord(folders: Folders, baseId: string): Promise<BaseRecord | null> {
  const stamps = new Map<RawPath, Stamp>();
  let base: BaseName | null = null;
  try {
    for await (const line of createInterface({ input: createReadStream(folders.baseRecord) })) {
      const read: [RawPath, Stamp] | BaseName = JSON.parse(line);
      if (Array.isArray(read)) stamps.set(...read);
      else base = read;
    }
  } catch {
    // None, or half of one: the work is saved whole then.
    return null;
  }
  return base?.id === baseId ? { base, stamps } : null;
}

export interface BaseNotes {
  note(path: RawPath, stamp: Stamp): void;
  finish(base: BaseName): void;
}

/** Begins a record in place of any other. */
export function noteBase(folders: Folders): BaseNotes {
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

export function dropBaseRecord(folders: Folders): void {
  rmSync(folders.baseRecord, { force: true });
}
