// Lists the project's files, without folders that tools generate. Does not follow links.
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { FileTree, FileTreeEntry } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { requireCheckout } from "./checkout-record.ts";

/** Part 1, "Files and commits". */
const foldersLeftOut = new Set([
  "node_modules",
  ".git",
  ".next",
  "dist",
  "build",
  "coverage",
  ".turbo",
  ".cache",
  "__pycache__",
  "venv",
  ".venv",
]);
const filesLeftOut = new Set([".DS_Store", "Thumbs.db"]);

/**
 * A longer list would exceed the limits of callers: the sandbox object forwards it in one call,
 * which is limited to 32 MiB.
 */
const entriesMax = 150_000;
const listBytesMax = 30 * 1_048_576;
/** The size of an entry, besides its name and path. */
const entryBytes = 100;
/** After this many entries, other requests get a turn. */
const entriesAtOnce = 500;

/** The files of the project: folders first, then by name. */
export async function listFiles(folders: Folders): Promise<FileTree> {
  requireCheckout(folders);
  let seen = 0;
  let bytes = 0;

  async function list(folder: string, path: string): Promise<FileTreeEntry[]> {
    const entries: FileTreeEntry[] = [];
    for (const found of inOrder(folder)) {
      seen += 1;
      if (seen > entriesMax) throw createRefusal("LIST_TOO_LONG", `The project holds more than ${entriesMax} files.`);
      // Synchronous calls are several times faster here. This yields to other requests from time to
      // time.
      if (seen % entriesAtOnce === 0) await setImmediate();
      const { name } = found;
      const place = { name, path: `${path}${name}` };
      bytes += entryBytes + countBytes(place.name) + countBytes(place.path);
      if (bytes > listBytesMax)
        throw createRefusal("LIST_TOO_LONG", "The names of the project's files are too long together to be listed.");
      if (found.isDirectory()) {
        const children = await list(`${folder}/${name}`, `${place.path}/`);
        entries.push({ ...place, type: "directory", children });
        continue;
      }
      const facts = look(`${folder}/${name}`);
      if (facts) entries.push({ ...place, type: "file", ...facts });
    }
    return entries;
  }

  return { files: await list(folders.project, "") };
}

/**
 * The size of a text in a call between objects: two bytes per character if any character needs
 * them.
 */
function countBytes(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}

/** The listed entries of a folder; empty if it is missing or unreadable. */
function inOrder(folder: string): Dirent[] {
  return read(folder)
    .filter(isListed)
    .sort((one, other) => Number(other.isDirectory()) - Number(one.isDirectory()) || (one.name < other.name ? -1 : 1));
}

function read(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function look(path: string): { size: number; lastModified: string } | null {
  try {
    const { size, mtime } = lstatSync(path);
    return { size, lastModified: mtime.toISOString() };
  } catch {
    return null;
  }
}

function isListed(found: Dirent): boolean {
  if (found.isDirectory()) return !foldersLeftOut.has(found.name);
  // A link with such a name, or the `.git` file of a worktree, is left out too.
  if (found.isSymbolicLink()) return !foldersLeftOut.has(found.name);
  return found.isFile() && found.name !== ".git" && !filesLeftOut.has(found.name);
}
