// The record of a sync that a person has to say something about, beside the checkout on disk: what they were asked, and whether the agent is
// settling the conflicts by hand. It is saved with the sandbox's work.
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../../folders.ts";

export interface SyncRecord {
  base: string;
  /** The turn in which the person was asked; what they chose comes with a later one. */
  askedIn: string;
  /** True when the branch is to be rebased, and not merged. */
  rebases: boolean;
  /** The files that the person was told of. */
  conflicts: string[];
  /** True once a message was about something else: what follows no longer answers this question. */
  isSetAside?: boolean;
  /** While the agent settles the conflicts in the checkout: the files that had uncommitted changes before. */
  byHand: { uncommitted: string[] } | null;
}

const recordFile = (folders: Folders) => join(folders.state, "branch-sync.json");

/** What is open; null when nothing is. */
export function readSync(folders: Folders): SyncRecord | null {
  try {
    return JSON.parse(readFileSync(recordFile(folders), "utf8"));
  } catch {
    return null;
  }
}

/** Keeps what is open; null for nothing. */
export async function writeSync(folders: Folders, record: SyncRecord | null): Promise<void> {
  if (record === null) return await rm(recordFile(folders), { force: true });
  const unfinished = `${recordFile(folders)}.new`;
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, recordFile(folders));
}
