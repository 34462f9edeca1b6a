// Walks the saved folders of a sandbox, each folder before its content.
import { type BigIntStats, chmodSync, lstatSync, readdirSync } from "node:fs";
import { listSavedNames } from "../saved-folders.ts";
import { type RawPath, toSystemPath } from "./raw-path.ts";

export interface TreeEntry {
  path: RawPath;
  stats: BigIntStats;
  /** True for the first entry of a path that is last in a base. */
  isLast?: boolean;
  /** The boundary of the commits that precede the last paths of a base. */
  boundary?: string | undefined;
}

/** A folder whose names are still to be walked. */
interface OpenFolder {
  path: RawPath;
  names: RawPath[];
  next: number;
  /** Set back when the folder has been walked; null if its mode was not changed. */
  mode: number | null;
}

/**
 * What is deeper is not saved. A path may have 4,096 bytes, with those of the folder that it is
 * restored in. Commands can go deeper, folder by folder.
 */
const pathBytesMax = 3_500;
/**
 * A file with more holes is not saved, because a layer has zeros for them. Every save would read
 * them, and `truncate` makes terabytes of them in an instant.
 */
const holeBytesMax = 64n * 1_024n ** 3n;
/** The unit of a file's blocks, whatever the file system. */
const statBlockBytes = 512n;
const readableFolder = 0o500;
const permissions = 0o7777n;

/**
 * Walks the tree, and these paths after everything else, in their order. Skips files that are
 * deleted meanwhile, files that are almost only holes, and sockets and pipes, which end with their
 * processes. A folder whose mode forbids the walk is made readable while it is walked.
 */
export function* walkTree(root: string, last: ReadonlySet<RawPath> = new Set()): Generator<TreeEntry> {
  const found = new Set<RawPath>();
  yield* walkFrom(root, openRoot(root), (path) => {
    if (last.has(path)) found.add(path);
    return last.has(path);
  });
  for (const path of last) {
    if (!found.has(path)) continue;
    const end = path.lastIndexOf("/");
    const start = { path: path.slice(0, Math.max(end, 0)), names: [path.slice(end + 1)], next: 0, mode: null };
    for (const entry of walkFrom(root, start, () => false))
      yield entry.path === path ? { ...entry, isLast: true } : entry;
  }
}

/** Walks to these paths only, in the order of the whole tree. */
export function* listEntries(root: string, paths: ReadonlySet<RawPath>): Generator<TreeEntry> {
  const parents = new Set<RawPath>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const parent = path.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  const isLeft = (path: RawPath) => !paths.has(path) && !parents.has(path);
  for (const entry of walkFrom(root, openRoot(root), isLeft)) if (paths.has(entry.path)) yield entry;
}

const openRoot = (root: string): OpenFolder => ({ path: "", names: listSavedNames(root), next: 0, mode: null });

function* walkFrom(root: string, start: OpenFolder, isLeft: (path: RawPath) => boolean): Generator<TreeEntry> {
  // One loop instead of a generator for each folder, through all of which every entry would pass.
  const open: OpenFolder[] = [start];
  try {
    for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
      const name = folder.names[folder.next++];
      if (name === undefined) {
        closeFolder(root, folder);
        open.pop();
        continue;
      }
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      if (path.length > pathBytesMax || isLeft(path)) continue;
      const stats = readUnlessGone(() => lstatSync(toSystemPath(root, path), { bigint: true }));
      if (!stats || !isSavable(stats)) continue;
      yield { path, stats };
      if (stats.isDirectory()) openFolder(root, { path, stats }, open);
    }
  } finally {
    for (const folder of open.toReversed()) closeFolder(root, folder);
  }
}

function isSavable(stats: BigIntStats): boolean {
  if (stats.isFile()) return stats.size - stats.blocks * statBlockBytes <= holeBytesMax;
  return stats.isDirectory() || stats.isSymbolicLink();
}

function openFolder(root: string, { path, stats }: TreeEntry, open: OpenFolder[]): void {
  const at = toSystemPath(root, path);
  const mode = Number(stats.mode & permissions);
  const isClosed = (mode & readableFolder) !== readableFolder;
  if (isClosed) chmodSync(at, mode | readableFolder);
  const folder: OpenFolder = { path, names: [], next: 0, mode: isClosed ? mode : null };
  open.push(folder);
  folder.names = readUnlessGone(() => readdirSync(at, { encoding: "latin1" })) ?? [];
}

function closeFolder(root: string, { path, mode }: OpenFolder): void {
  if (mode !== null) chmodSync(toSystemPath(root, path), mode);
}

/** Undefined if the file no longer exists. */
export function readUnlessGone<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
}
