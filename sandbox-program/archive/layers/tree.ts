// Walks the saved folders of a sandbox, each folder before its content.
import { type BigIntStats, chmodSync, lstatSync, readdirSync } from "node:fs";
import { listSavedNames } from "../saved-folders.ts";
import { type RawPath, toPathBytes } from "./raw-path.ts";

export interface TreeEntry {
  path: RawPath;
  stats: BigIntStats;
}

const readableFolder = 0o500;
const permissions = 0o7777n;

/**
 * Walks the tree. Skips files that are deleted meanwhile, and sockets and pipes, which end with
 * their processes.
 */
export function* walkTree(root: string): Generator<TreeEntry> {
  for (const name of listSavedNames(root)) yield* walk(root, name);
}

function* walk(root: string, path: RawPath): Generator<TreeEntry> {
  const stats = readUnlessGone(() => lstatSync(toPathBytes(root, path), { bigint: true }));
  if (!stats || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) return;
  yield { path, stats };
  if (stats.isDirectory()) yield* opened(root, { path, stats }, () => walkInside(root, path));
}

function* walkInside(root: string, path: RawPath): Generator<TreeEntry> {
  const names = readUnlessGone(() => readdirSync(toPathBytes(root, path), { encoding: "latin1" })) ?? [];
  for (const name of names) yield* walk(root, `${path}/${name}`);
}

/**
 * Makes a folder readable for the walk if its mode forbids it, and restores the mode afterwards.
 */
function* opened(root: string, { path, stats }: TreeEntry, inside: () => Generator<TreeEntry>): Generator<TreeEntry> {
  const mode = Number(stats.mode & permissions);
  if ((mode & readableFolder) === readableFolder) return yield* inside();
  const bytes = toPathBytes(root, path);
  chmodSync(bytes, mode | readableFolder);
  try {
    yield* inside();
  } finally {
    chmodSync(bytes, mode);
  }
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
