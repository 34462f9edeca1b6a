// The sandbox's folder: the checkout, the program's own state, the home of every command, and what may be lost.
import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";

export interface Folders {
  root: string;
  /** The checkout. The one folder that the agent, the services and the file calls work in. */
  project: string;
  /** Journals, conversations, records: the program's own, which nothing that it runs may see where there is a wall. */
  state: string;
  /** What the agent's commands are given to read: attached files, logs. */
  shared: string;
  home: string;
  tmp: string;
  /** What the base was like that the sandbox was started from. */
  baseRecord: string;
}

/** Where the folders under `root` are. */
export function foldersUnder(root: string): Folders {
  return {
    root,
    project: join(root, "project"),
    state: join(root, "state"),
    shared: join(root, "shared"),
    home: join(root, "home"),
    tmp: join(root, "tmp"),
    baseRecord: join(root, "base-record.jsonl"),
  };
}

/** The folders under `root`; makes those that every call may count on. */
export function openFolders(root: string): Folders {
  const folders = foldersUnder(root);
  for (const folder of [folders.state, folders.shared, folders.home, folders.tmp])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  shareEarlierFiles(folders);
  return folders;
}

const sharedNames = ["attachments", "logs"];

/** Earlier programs kept what is shared among their state; conversations name it there. */
export function shareEarlierFiles({ state, shared }: Pick<Folders, "state" | "shared">): void {
  for (const name of sharedNames) {
    if (existsSync(join(shared, name)) || !lstatSync(join(state, name), { throwIfNoEntry: false })?.isDirectory())
      continue;
    renameSync(join(state, name), join(shared, name));
    symlinkSync(relative(state, join(shared, name)), join(state, name));
  }
}

/** What of the shared files has a name among the state too. */
export const earlierNames = (state: string): string[] =>
  sharedNames.filter((name) => lstatSync(join(state, name), { throwIfNoEntry: false })?.isSymbolicLink());
