// The record of the last save: its id, and the mark of the files that it contains. A sandbox whose
// files still have that mark is not saved again.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Folders } from "../../folders.ts";
import { noStamp, toSettledStamp } from "./base-record.ts";
import { type TreeEntry, walkTree } from "./tree.ts";

interface SaveRecord {
  id: string;
  /** The base beneath the saved work, if it is on one. */
  baseId: string | null;
  mark: string;
}

/** Collects the mark of the files of a sandbox. */
export interface Marking {
  add(entry: TreeEntry): void;
  /**
   * The same for the same paths with unchanged files. Null if a file has just changed, because its
   * next change might not show.
   */
  read(): string | null;
}

/** Starts a mark. */
export function startMark(): Marking {
  const hash = createHash("sha256");
  let isReliable = true;
  return {
    add({ path, stats }) {
      const stamp = toSettledStamp(stats);
      isReliable &&= stamp !== noStamp;
      hash.update(`${path.length} ${path}${stamp}\n`, "latin1");
    },
    read: () => (isReliable ? hash.digest("hex") : null),
  };
}

/** True if the sandbox contains exactly what it contained at the save of this id. */
export function isAsSaved(folders: Folders, id: string, baseId: string | null): boolean {
  const record = readSaveRecord(folders);
  if (record === null || record.id !== id || record.baseId !== baseId) return false;
  const mark = startMark();
  for (const entry of walkTree(folders.root)) mark.add(entry);
  return mark.read() === record.mark;
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
