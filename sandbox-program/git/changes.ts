// The differences from the base, committed or not: the changed files with their line counts, and
// the patch.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { ChangedFile, GitChanges, GitPatch } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { requireCheckout } from "../project/checkout-record.ts";
import { checkProjectPath } from "../project/project-path.ts";
import { getMergeBase } from "./base.ts";
import { type GitResult, git, tryGit } from "./git-command.ts";
import { getHeadOrEmptyTree } from "./head.ts";
import { createPatchParts } from "./patch-parts.ts";
import { parseChanges } from "./raw-diff.ts";
import { withEveryFile } from "./temporary-index.ts";

const changesLimitBytes = 32 * 1_024 * 1_024;
const patchLimitBytes = 2 * 1_024 * 1_024;
/** As much as a model reads in a few seconds. */
const uncommittedLimitBytes = 48 * 1_024;

// These options override the checkout's configuration, so that git runs no program of it and
// formats as usual. Large files count as binary.
const diff = [
  ["-c", "core.bigFileThreshold=10m", "-c", "core.quotePath=false", "--no-optional-locks", "diff"],
  ["--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--ignore-submodules=dirty"],
].flat();
const asPatch = ["--patch", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--find-renames"];
const asSummary = ["--stat=120", "--stat-count=100"];

/** The files that differ from where the branch left its base. */
export async function readChanges(folders: Folders, base: string | null): Promise<GitChanges> {
  requireCheckout(folders);
  const [from, head] = await Promise.all([getMergeBase(folders, base), getHeadOrEmptyTree(folders)]);
  return await withEveryFile(folders, async (seen) => {
    const options = { ...seen, outputLimitBytes: changesLimitBytes };
    const shown = ["--raw", "--numstat", "-z", "--abbrev=4", "--find-renames"];
    const [all, uncommitted] = await Promise.all([
      tryGit(folders, [...diff, ...shown, from, "--"], options),
      git(folders, [...diff, "--name-only", "-z", "--no-renames", head, "--"], options),
    ]);
    if (all.exitCode !== 0 || all.isCut) throw createRefusal("GIT_REFUSED", "The changed files could not be listed.");
    const open = new Set(uncommitted.split("\0"));
    const isCommitted = ({ path, previousPath }: Omit<ChangedFile, "committed">) =>
      !open.has(path) && !open.has(previousPath ?? path);
    return { files: parseChanges(all.stdout).map((file) => ({ ...file, committed: isCommitted(file) })) };
  });
}

/**
 * The patch of everything, or of one file or folder. Files with too many lines are only named,
 * unless requested individually.
 */
export async function readPatch(folders: Folders, base: string | null, path: string | null): Promise<GitPatch> {
  requireCheckout(folders);
  if (path !== null) checkProjectPath(path);
  const from = await getMergeBase(folders, base);
  const { patch, isCut } = await withEveryFile(folders, async ({ env }) => {
    const parts = createPatchParts(patchLimitBytes);
    const options = { env: { ...env, GIT_LITERAL_PATHSPECS: "1" }, take: parts.take };
    // Limited to one path, git cannot detect a rename, so the former path is passed as well.
    const former = path === null ? undefined : (await renames(folders, from, env)).get(path);
    const paths = [path, former].filter((each) => typeof each === "string");
    await git(folders, [...diff, ...asPatch, from, "--", ...paths], options);
    return path === null ? parts.fitted() : parts.started();
  });
  if (patch === "" && path !== null && !(await isThere(folders, path))) {
    throw createRefusal("NOT_FOUND", `There is no file ${path}.`);
  }
  return { patch, isCut };
}

/** The list of uncommitted files and their patch, limited to what a model is shown. */
export async function readUncommitted(folders: Folders): Promise<GitPatch> {
  requireCheckout(folders);
  const head = await getHeadOrEmptyTree(folders);
  return await withEveryFile(folders, async (seen) => {
    const options = { ...seen, outputLimitBytes: uncommittedLimitBytes };
    return wholeLines(await tryGit(folders, [...diff, ...asSummary, ...asPatch, head, "--"], options));
  });
}

function wholeLines({ stdout, stderr, exitCode, isCut }: GitResult): GitPatch {
  if (exitCode !== 0 && !isCut) throw createRefusal("GIT_REFUSED", `git diff failed.\n${stderr.slice(0, 1_000)}`);
  return { patch: isCut ? stdout.slice(0, stdout.lastIndexOf("\n") + 1) : stdout, isCut };
}

/** The former paths of the files that were renamed since a commit. */
export async function readFormerPaths(folders: Folders, from: string): Promise<Map<string, string>> {
  return await withEveryFile(folders, async ({ env }) => await renames(folders, from, env));
}

async function renames(
  folders: Folders,
  from: string,
  env: Record<string, string> | undefined,
): Promise<Map<string, string>> {
  const shown = ["--raw", "-z", "--find-renames", "--diff-filter=R"];
  const renamed = parseChanges(await git(folders, [...diff, ...shown, from, "--"], env ? { env } : {}));
  return new Map(renamed.map(({ path, previousPath }) => [path, previousPath ?? path]));
}

async function isThere(folders: Folders, path: string): Promise<boolean> {
  return (await lstat(join(folders.project, path)).catch(() => null)) !== null;
}
