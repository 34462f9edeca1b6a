// The record of a sync that waits for the user's decision: the question, and whether the agent is
// resolving the conflicts by hand. It is stored next to the checkout and is saved with the
// sandbox's work.
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../../folders.ts";

export interface SyncRecord {
  base: string;
  /** The turn that asked the question. The answer comes with a later turn. */
  askedIn: string;
  /** True if the branch should be rebased, not merged. */
  rebases: boolean;
  /** The files named in the question. */
  conflicts: string[];
  /**
   * True once a message was about something else. Later messages no longer answer this question.
   */
  isSetAside?: boolean;
  /**
   * Set while the agent resolves the conflicts in the checkout: the files outside the merge that
   * had uncommitted changes before.
   */
  byHand: { uncommitted: string[] } | null;
}

const recordFile = (folders: Folders) => join(folders.state, "branch-sync.json");

/** Reads the record; null if no sync waits. */
export function readSync(folders: Folders): SyncRecord | null {
  try {
    return JSON.parse(readFileSync(recordFile(folders), "utf8"));
  } catch {
    return null;
  }
}

/** Writes the record. Null deletes it. */
export async function writeSync(folders: Folders, record: SyncRecord | null): Promise<void> {
  if (record === null) return await rm(recordFile(folders), { force: true });
  const unfinished = `${recordFile(folders)}.new`;
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, recordFile(folders));
}
