// The folders of a sandbox: the checkout, the program's state, the home of every command, and
// temporary files.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface Folders {
  root: string;
  /** The checkout. The agent, the services and the file calls work only here. */
  project: string;
  /**
   * The program's own files: journals, conversations, records. The wall hides them from the
   * programs that it runs.
   */
  state: string;
  /** Files that the agent may read: attachments, logs. */
  shared: string;
  home: string;
  tmp: string;
  /**
   * The saved skills of the last turn, each in a folder named by its hash. A turn fetches what is
   * missing, so this folder is not part of the saved work.
   */
  skills: string;
  /**
   * The plugins of the last turn, each in a folder named by its hash. Not part of the saved work
   * either.
   */
  plugins: string;
  /** The record of the base that the sandbox was started from. */
  baseRecord: string;
  /** The record of the last save. */
  saveRecord: string;
  /** A file that exists while the rest of the checkout is on its way. */
  unfinished: string;
}

/** The paths of the folders under `root`. */
export function getFolders(root: string): Folders {
  return {
    root,
    project: join(root, "project"),
    state: join(root, "state"),
    shared: join(root, "shared"),
    home: join(root, "home"),
    tmp: join(root, "tmp"),
    skills: join(root, "skills"),
    plugins: join(root, "plugins"),
    baseRecord: join(root, "base-record"),
    saveRecord: join(root, "save-record.json"),
    unfinished: join(root, "unfinished"),
  };
}

/** The folders under `root`. Creates those that every call relies on. */
export function createFolders(root: string): Folders {
  const folders = getFolders(root);
  for (const folder of [folders.state, folders.shared, folders.home, folders.tmp])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folders;
}
