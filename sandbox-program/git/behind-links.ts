// Tracked files behind a link that replaced one of their folders. git considers them deleted, but
// `git grep` reads whatever the link points to.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import type { GitResult } from "./git-command.ts";

const listing = ["diff-files", "--name-only", "-z", "--diff-filter=D", "--no-ext-diff", "--ignore-submodules=all"];

/**
 * The links that replaced tracked folders. `read` runs git without its filters. Refuses a checkout
 * in which they cannot be determined.
 */
export async function listLinksOverFolders(
  { project }: Folders,
  read: (args: string[]) => Promise<GitResult>,
): Promise<string[]> {
  const { stdout, exitCode, isCut } = await read(listing);
  if (exitCode !== 0 || isCut || stdout.includes("\uFFFD")) {
    throw createRefusal(
      "OUTSIDE_PROJECT",
      "Too much is missing from this checkout to search it so. Use `search`, or grep a commit.",
    );
  }
  const parents = new Set(stdout.split("\0").flatMap(foldersAbove));
  const kinds = await Promise.all(
    [...parents].map(async (path) => ({ path, isLink: await isLink(join(project, path)) })),
  );
  return kinds.filter(({ isLink }) => isLink).map(({ path }) => path);
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
}

const isLink = (path: string) =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
