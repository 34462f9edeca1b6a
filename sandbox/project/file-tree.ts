// The tree of the project's files, without what tools fill by themselves. It stays on the disk that it finds: no link is followed.
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { FileTree, FileTreeEntry } from "../../src/sandbox/protocol.ts";
import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
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

/** Beyond this the answer would be more than a caller can take. */
const entriesMax = 150_000;
/** What runs beside a listing waits for no more entries than these. */
const entriesAtOnce = 500;

/** Everything in the project's folder: folders first, then by name. */
export async function listFiles(folders: Folders): Promise<FileTree> {
  requireCheckout(folders);
  let seen = 0;

  async function list(folder: string, path: string): Promise<FileTreeEntry[]> {
    const entries: FileTreeEntry[] = [];
    for (const found of inOrder(folder)) {
      seen += 1;
      if (seen > entriesMax) throw refusal("LIST_TOO_LONG", `The project holds more than ${entriesMax} files.`);
      // Synchronous calls are several times as fast as others here, and leave nobody waiting for long.
      if (seen % entriesAtOnce === 0) await setImmediate();
      const { name } = found;
      const place = { name, path: `${path}${name}` };
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

/** What a folder holds of what is listed; nothing when it is gone meanwhile or closed. */
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
  // A link in the place of such a folder, or the file that a git worktree has there, is as little of the project's own.
  if (found.isSymbolicLink()) return !foldersLeftOut.has(found.name);
  return found.isFile() && found.name !== ".git" && !filesLeftOut.has(found.name);
}
