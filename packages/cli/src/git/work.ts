// The work of a folder as one commit, as the service makes it of a session's checkout: its parents
// are HEAD and a commit of the index. The same work is the same commit on both sides.
import { copyFile, lstat, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../exit.ts";
import { git, tryGit } from "./run.ts";

/** The ref of the work in a bundle. */
const workRef = "refs/switchyard/work";
const author = { name: "Switchyard", email: "work@switchyard.invalid" };
/** The commits that a request may name. */
const havesMax = 16;

export interface FolderWork {
  head: string;
  work: string;
}

/** Makes the commit of the work of a folder. Neither files nor index change. */
export async function commitWork(folder: string): Promise<FolderWork> {
  const cwd = folder;
  const head = await git(["rev-parse", "--verify", "HEAD^{commit}"], { cwd });
  const date = `@${await git(["show", "--no-patch", "--no-show-signature", "--format=%ct", head], { cwd })} +0000`;
  const env = {
    ...{ GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: author.name, GIT_COMMITTER_EMAIL: author.email, GIT_COMMITTER_DATE: date },
  };
  const commit = (tree: string, input: string, parents: readonly string[]) => {
    const args = ["-c", "i18n.commitEncoding=UTF-8", "-c", "commit.gpgSign=false", "commit-tree", tree];
    return git([...args, ...parents.flatMap((id) => ["-p", id])], { cwd, env, input });
  };
  const written = await tryGit(["write-tree"], { cwd });
  if (written.exitCode !== 0) throw new UsageError("Files here are in conflict. Finish or abort the merge first.");
  const staged = await commit(written.stdout.trim(), "index\n", [head]);
  return await withTemporaryFolder(async (temporary) => {
    const index = join(temporary, "index");
    await copyWithTimes(await findGitPath(folder, "index"), index);
    const seen = { cwd, env: { GIT_INDEX_FILE: index } };
    await git(["add", "--all"], seen);
    return { head, work: await commit(await git(["write-tree"], seen), "work\n", [head, staged]) };
  });
}

/** Git reads a file again that is newer than the index, so a copy must be as old as it. */
async function copyWithTimes(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
}

/** The newest commits of a repository, which a bundle need not have; none outside of one. */
export async function listNewestCommits(folder: string): Promise<string[]> {
  const args = ["for-each-ref", `--count=${havesMax}`, "--sort=-committerdate", "--format=%(objectname)"];
  const listed = await tryGit([...args, "refs/heads", "refs/remotes"], { cwd: folder });
  return [...new Set(listed.stdout.split("\n").filter((id) => id !== ""))];
}

/** Fetches the commits of a bundle, under a ref. Returns the commit of the work. */
export async function fetchBundle(folder: string, bundle: Blob, ref: string): Promise<string> {
  return await withTemporaryFolder(async (temporary) => {
    const file = join(temporary, "work.bundle");
    await writeFile(file, new Uint8Array(await bundle.arrayBuffer()));
    const options = ["-c", "transfer.fsckObjects=true"];
    await git([...options, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", file, `+${workRef}:${ref}`], {
      cwd: folder,
    });
    return await git(["rev-parse", ref], { cwd: folder });
  });
}

/** A bundle of a work, without the commits that the session has. */
export async function createBundle(folder: string, work: string, without: string): Promise<Blob> {
  return await withTemporaryFolder(async (temporary) => {
    const file = join(temporary, "work.bundle");
    await git(["update-ref", workRef, work], { cwd: folder });
    await git(["bundle", "create", "--quiet", file, workRef, `^${without}`], { cwd: folder });
    return new Blob([new Uint8Array(await readFile(file))]);
  });
}

/** Changes files, branch and index of a folder from one work to another. Ignored files stay. */
export async function replaceWork(folder: string, before: FolderWork, work: string): Promise<void> {
  const cwd = folder;
  const inTheWay = await findInTheWay(folder, before.work, work);
  if (inTheWay !== null)
    throw new UsageError(`${inTheWay} is ignored here, and the session has it. Move it away, and try again.`);
  await withTemporaryFolder(async (temporary) => {
    const index = await findGitPath(folder, "index");
    const saved = join(temporary, "index");
    await copyWithTimes(index, saved);
    // With every file in the index, git deletes those that the other work does not have.
    await git(["read-tree", before.work], { cwd });
    await tryGit(["update-index", "-q", "--refresh"], { cwd });
    const moved = await tryGit(["read-tree", "-m", "-u", before.work, work], { cwd });
    if (moved.exitCode !== 0) {
      await copyWithTimes(saved, index);
      throw new Error(`Nothing was changed. ${moved.stderr.trim()}`);
    }
    await git(["update-ref", "HEAD", `${work}^1`, before.head], { cwd });
    await writeIndex(folder, work);
  });
}

/** Creates the files of a work in an empty folder, whose HEAD is at the head of the work. */
export async function createFiles(folder: string, work: string): Promise<void> {
  await git(["read-tree", "--reset", "-u", work], { cwd: folder });
  await writeIndex(folder, work);
}

async function writeIndex(folder: string, work: string): Promise<void> {
  await git(["read-tree", `${work}^2`], { cwd: folder });
  await tryGit(["update-index", "-q", "--refresh"], { cwd: folder });
}

/** The first ignored file that the other work would overwrite; null if there is none. */
async function findInTheWay(folder: string, before: string, work: string): Promise<string | null> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", before, work];
  for (const path of (await git(args, { cwd: folder })).split("\0").filter((name) => name !== "")) {
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found === null) continue;
    const ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", `:(literal)${path}`];
    const isFree = found.isDirectory() && (await git(ignored, { cwd: folder })) === "";
    if (!isFree) return path;
  }
  return null;
}

/** The path of a file of git, which a worktree has for itself. */
export async function findGitPath(folder: string, name: string): Promise<string> {
  return await git(["rev-parse", "--path-format=absolute", "--git-path", name], { cwd: folder });
}

async function withTemporaryFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sy-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
