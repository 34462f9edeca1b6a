// A temporary copy of the index that includes untracked files. The checkout's own index stays
// unchanged.
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { type GitCommandOptions, git } from "./git-command.ts";

const emptyFile = "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0";
const listLimitBytes = 64 * 1_024 * 1_024;

/** Calls `run` with git options under which every file that a commit would include is tracked. */
export async function withEveryFile<Result>(
  folders: Folders,
  run: (options: Pick<GitCommandOptions, "env">) => Promise<Result>,
): Promise<Result> {
  const untracked = await untrackedFiles(folders);
  if (untracked.length === 0) return await run({});
  const index = join(folders.tmp, `index-${crypto.randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await createIndexCopy(join(folders.project, ".git/index"), index);
    // The entries have empty content and no timestamps, so git reads the content from the disk.
    const input = Buffer.from(untracked.map((path) => `${emptyFile}\t${path}\0`).join(""), "latin1");
    await git(folders, ["update-index", "-z", "--index-info"], { env, input });
    return await run({ env });
  } finally {
    await rm(index, { force: true });
  }
}

/** One character for each byte, because a name need not be valid UTF-8. */
async function untrackedFiles(folders: Folders): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const listed = await git(folders, args, { outputLimitBytes: listLimitBytes, encoding: "latin1" });
  // A trailing slash marks a nested repository.
  return listed.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
}

/** Copies an index with its times. Does nothing if there is none. */
export async function createIndexCopy(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  // git re-reads a file whose entry is as new as the index. A copy with a later time would hide
  // such a change.
  await utimes(to, found.atime, found.mtime);
}
