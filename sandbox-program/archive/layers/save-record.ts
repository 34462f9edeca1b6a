// The record of the last save: its id, and the mark of the files that it contains. A sandbox whose
// files still have that mark is not saved again.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Folders } from "../../folders.ts";
import { isSettled, noStamp, type Stamp } from "./base-record.ts";
import type { RawPath } from "./raw-path.ts";
import type { TreeEntry } from "./tree.ts";

interface SaveRecord {
  id: string;
  /** The base beneath the saved work, if it is on one. */
  baseId: string | null;
  mark: string;
}

/** Collects the mark of the files of a sandbox. */
export interface Marking {
  add(entry: TreeEntry, stamp: Stamp): void;
  /**
   * The same for the same paths with unchanged files. Null if a file has just changed, because its
   * next change might not show.
   */
  read(): string | null;
  /** All paths with their stamps, if the mark keeps them. */
  list(): Iterable<[RawPath, Stamp]>;
}

/** Neither a path nor a stamp contains it. */
const separator = "\0";
/** Each update of a hash takes as long as many characters. */
const textCharacters = 64 * 1_024;

/** Starts a mark. */
export function startMark({ keepsStamps }: { keepsStamps: boolean }): Marking {
  const hash = createHash("sha256");
  /** Few long texts, because the collection of garbage would copy many short ones. */
  const kept: string[] = [];
  let text = "";
  let isReliable = true;
  let mark: string | null = null;

  function finishText(): void {
    hash.update(text, "latin1");
    if (keepsStamps) kept.push(text);
    text = "";
  }

  return {
    add({ path, stats }, stamp) {
      isReliable &&= isSettled(stats);
      text += path + separator + stamp + separator;
      if (text.length >= textCharacters) finishText();
    },
    read() {
      if (mark === null) {
        finishText();
        mark = hash.digest("hex");
      }
      return isReliable ? mark : null;
    },
    *list() {
      for (const one of kept) {
        const parts = one.split(separator);
        for (let at = 0; at + 1 < parts.length; at += 2) yield [parts[at] ?? "", parts[at + 1] ?? noStamp];
      }
    },
  };
}

/** The mark of the save of this id on this base; null if that was not the last save. */
export function findSavedMark(folders: Folders, id: string, baseId: string | null): string | null {
  const record = readSaveRecord(folders);
  return record !== null && record.id === id && record.baseId === baseId ? record.mark : null;
}

function readSaveRecord(folders: Folders): SaveRecord | null {
  try {
    return JSON.parse(readFileSync(folders.saveRecord, "utf8"));
  } catch {
    // The record is missing or incomplete, so the work is saved.
    return null;
  }
}

/** Records a save. Without a reliable mark, there is no record. */
export function writeSaveRecord(folders: Folders, save: Omit<SaveRecord, "mark">, mark: string | null): void {
  if (mark === null) return void rmSync(folders.saveRecord, { force: true });
  const record: SaveRecord = { ...save, mark };
  writeFileSync(folders.saveRecord, JSON.stringify(record), { mode: 0o600 });
}
