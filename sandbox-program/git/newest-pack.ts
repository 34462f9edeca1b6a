// The history of a base in two parts: a pack of the newest commits, with which a session starts,
// and the packs with all commits.
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { deleteFolder } from "../archive/folder-removal.ts";
import type { Folders } from "../folders.ts";
import { isShallow } from "../rest-of-checkout.ts";
import { tryGit } from "./git-command.ts";

/**
 * The depth of the history that an early start waits for. That of a small repository is complete
 * with it. The rest of a large one follows, and takes many times as long.
 */
export const newestDepth = 50;
const timeoutMs = 5 * 60_000;
/** A name that git gives to no pack. */
const newestName = "pack-newest";
/** The list is in an argument of a process. */
const boundaryCharactersMax = 32_000;

export interface NewestPack {
  /** The oldest commits of the pack, a line each, as in git's `shallow` file. */
  boundary: string;
  /** The files below `.git/objects` that complete the history. A pack comes before its index. */
  others: string[];
}

/**
 * Copies the newest commits of the checked-out branch into a pack of their own, in place of an
 * earlier one. Null if that would not make a start faster: the history is short, or most of its
 * bytes are in the newest commits.
 */
export async function addNewestPack(folders: Folders): Promise<NewestPack | null> {
  if (isShallow(folders.project)) return null;
  const packs = join(folders.project, ".git/objects/pack");
  // Another pack has the same commits.
  for (const { name } of await listFiles(packs)) if (name.startsWith(newestName)) await rm(join(packs, name));
  const clone = join(folders.tmp, "newest");
  await deleteFolder(clone);
  try {
    return await moveNewestPack(folders, { clone, packs });
  } finally {
    await deleteFolder(clone);
  }
}

async function moveNewestPack(
  folders: Folders,
  { clone, packs }: { clone: string; packs: string },
): Promise<NewestPack | null> {
  const options = ["--quiet", "--bare", "--template=", "--single-branch", "--no-tags", "--depth", String(newestDepth)];
  const cloned = await tryGit(folders, ["clone", ...options, "--", `file://${folders.project}`, clone], {
    cwd: folders.tmp,
    env: { GIT_ALLOW_PROTOCOL: "file" },
    timeoutMs,
  });
  if (cloned.exitCode !== 0) return null;
  const boundary = await readFile(join(clone, "shallow"), "utf8").catch(() => "");
  if (boundary === "" || boundary.length > boundaryCharactersMax) return null;
  const clonePacks = join(clone, "objects/pack");
  const [others, newest] = await Promise.all([listFiles(packs), listFiles(clonePacks)]);
  if (countBytes(newest) > countBytes(others) / 2) return null;
  for (const { name } of newest) await rename(join(clonePacks, name), join(packs, newestName + extname(name)));
  return { boundary, others: others.map(({ name }) => `pack/${name}`).toReversed() };
}

interface ListedFile {
  name: string;
  bytes: number;
}

/** The files of a folder, in the order of their names. Empty if there is no such folder. */
async function listFiles(folder: string): Promise<ListedFile[]> {
  const names = (await readdir(folder).catch(() => [])).toSorted();
  return await Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
}

const countBytes = (files: ListedFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);
