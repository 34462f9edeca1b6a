// The sandbox's folder: the checkout, the program's own state, the home of every command, and what may be lost.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface Folders {
  root: string;
  /** The checkout. The one folder that the agent, the services and the file calls work in. */
  project: string;
  /** Journals, conversations, logs. */
  state: string;
  home: string;
  tmp: string;
  /** What the base was like that the sandbox was started from. */
  baseRecord: string;
}

/** The folders under `root`; makes those that every call may count on. */
export function openFolders(root: string): Folders {
  const folders: Folders = {
    root,
    project: join(root, "project"),
    state: join(root, "state"),
    home: join(root, "home"),
    tmp: join(root, "tmp"),
    baseRecord: join(root, "base-record.jsonl"),
  };
  for (const folder of [folders.state, folders.home, folders.tmp]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folders;
}
