// An index in which files that git does not track are seen too. The checkout's own is left as it is.
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { type GitCommandOptions, git } from "./git-command.ts";

const emptyFile = "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0";
const listLimitBytes = 64 * 1_024 * 1_024;

/** Runs something with the options by which git sees every file that a commit would take. */
export async function withEveryFile<Result>(
  folders: Folders,
  run: (options: Pick<GitCommandOptions, "env">) => Promise<Result>,
): Promise<Result> {
  const untracked = await untrackedFiles(folders);
  if (untracked.length === 0) return await run({});
  const index = join(folders.tmp, `index-${crypto.randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await copyIndex(join(folders.project, ".git/index"), index);
    // With the content of no file: git takes that from the disk, since nothing is noted of when it was read.
    const input = Buffer.from(untracked.map((path) => `${emptyFile}\t${path}\0`).join(""), "latin1");
    await git(folders, ["update-index", "-z", "--index-info"], { env, input });
    return await run({ env });
  } finally {
    await rm(index, { force: true });
  }
}

/** Each byte of a name is a character of it: a name need not be text. */
async function untrackedFiles(folders: Folders): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const listed = await git(folders, args, { outputLimitBytes: listLimitBytes, encoding: "latin1" });
  // A repository of its own inside of this one ends with a slash.
  return listed.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
}

async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  // Git trusts no note that is younger than its index.
  await utimes(to, found.atime, found.mtime);
}
