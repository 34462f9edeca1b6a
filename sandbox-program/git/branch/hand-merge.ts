// A merge that the agent resolves by hand. Its conflicts are marked in the checkout. It is finished
// or aborted within one turn.
import { lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { readSync, type SyncRecord, writeSync } from "../../agent/sync/record.ts";
import { type RawPath, toSystemPath } from "../../archive/layers/raw-path.ts";
import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { waitUntilWhole } from "../../rest-of-checkout.ts";
import { git, tryGit } from "../git-command.ts";
import { mergeTrees } from "./merge-trees.ts";
import { type BranchState, findCommit, formatFilesInTheWay, isAncestor, parseListedFiles } from "./state.ts";

const mergeTimeoutMs = 120_000;
const pathsFromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/**
 * Marks the conflicts in the checkout and returns their files. If uncommitted work is in the way,
 * it refuses and changes nothing.
 */
export async function startHandMerge(
  folders: Folders,
  { branch, head, baseHead }: BranchState,
  { base, ...asked }: Pick<SyncRecord, "base" | "askedIn" | "rebases">,
): Promise<string[]> {
  const hidden = await ignoredInTheWay(folders, head, (await mergeTrees(folders, head, baseHead)).tree);
  if (hidden.length > 0) throw createRefusal("GIT_REFUSED", formatFilesInTheWay(hidden));
  // git merges only with an empty stage. The reset leaves the files as they are.
  await git(folders, ["reset", "--quiet"]);
  const uncommitted = (await changedFiles(folders)).map(({ path }) => path);
  const record = { base, ...asked, conflicts: [], byHand: { uncommitted } };
  await writeSync(folders, record);
  const message = `Merge branch '${base}' into ${branch}`;
  const merge = ["merge", "--no-ff", "--no-commit", "--no-autostash", "--quiet", "-m", message, baseHead];
  const merging = await tryGit(folders, merge, { timeoutMs: mergeTimeoutMs });
  if ((await findCommit(folders, "MERGE_HEAD")) === null) {
    await writeSync(folders, null);
    const inTheWay = parseListedFiles(merging.stderr);
    throw createRefusal(
      "GIT_REFUSED",
      inTheWay.length > 0 ? formatFilesInTheWay(inTheWay) : `The merge could not be started.\n${merging.stderr.trim()}`,
    );
  }
  const conflicts = await listNames(folders, ["diff", "--name-only", "--diff-filter=U", "-z"]);
  // For git, a file that is missing on the disk is not in the way. The merge may have written it.
  const args = ["diff", "--cached", "--name-only", "--no-renames", "-z", "HEAD"];
  const merged = new Set((await git(folders, args, { encoding: "latin1" })).split("\0"));
  const outside = uncommitted.filter((path) => !merged.has(path));
  await writeSync(folders, { ...record, conflicts, byHand: { uncommitted: outside } });
  return conflicts;
}

/** Ignored files at paths that the merge adds. git would overwrite them silently. */
async function ignoredInTheWay(folders: Folders, head: string, merged: string): Promise<string[]> {
  const added = await listNames(folders, [
    "diff",
    "--name-only",
    "--no-renames",
    "--diff-filter=A",
    "-z",
    head,
    merged,
  ]);
  const there: string[] = [];
  for (const path of added) if (await lstat(join(folders.project, path)).catch(() => null)) there.push(path);
  if (there.length === 0) return [];
  const ignored = await tryGit(folders, ["check-ignore", "--no-index", "-z", "--stdin"], { input: there.join("\0") });
  return ignored.stdout.split("\0").filter(Boolean);
}

/**
 * Commits the merge with the current content of its files, without the changes that were
 * uncommitted before it.
 */
export async function commitHandMerge(folders: Folders): Promise<void> {
  const record = readSync(folders);
  if (!record?.byHand) throw createRefusal("GIT_REFUSED", "No merge is being settled by hand.");
  const marked = await stillMarked(folders, record.conflicts);
  if (marked.length > 0)
    throw createRefusal("GIT_REFUSED", `These files still have conflict markers: ${marked.join(", ")}.`);
  const baseHead =
    (await findCommit(folders, "MERGE_HEAD")) ?? (await findCommit(folders, `refs/remotes/origin/${record.base}`));
  if ((await findCommit(folders, "MERGE_HEAD")) !== null) {
    const before = new Set(record.byHand.uncommitted);
    // The agent may have staged them. Without a path, git would unstage the merge's own changes.
    if (before.size > 0)
      await git(folders, ["--literal-pathspecs", "reset", "--quiet", ...pathsFromInput], {
        input: toInput([...before]),
      });
    // The merge's own changes are staged already, and `git add` would fail for a path that the
    // merge removed.
    const made = (await changedFiles(folders)).filter(
      ({ path, state }) => isUnmerged(state) || (!state.endsWith(" ") && !before.has(path)),
    );
    // Without a path, git would add everything.
    if (made.length > 0)
      await git(folders, ["--literal-pathspecs", "add", "--all", ...pathsFromInput], {
        input: toInput(made.map(({ path }) => path)),
      });
    await git(folders, ["commit", "--quiet", "--no-edit", "--no-verify"]);
  } else if (baseHead === null || !(await isAncestor(folders, baseHead, "HEAD"))) {
    await writeSync(folders, null);
    throw createRefusal(
      "GIT_REFUSED",
      "The merge is no longer in progress, and the branch does not have what it was to bring.",
    );
  }
  await writeSync(folders, null);
}

/**
 * Aborts a merge that was not finished. Its files return to the branch's version; uncommitted work
 * outside the merge stays, even if the agent staged it.
 */
export async function cancelHandMerge(folders: Folders): Promise<void> {
  const record = readSync(folders);
  if (!record?.byHand) return;
  // Files that git would restore may still be on their way.
  await waitUntilWhole();
  if ((await findCommit(folders, "MERGE_HEAD")) !== null) {
    const before = new Set(record.byHand.uncommitted);
    const args = ["diff", "--cached", "--name-status", "--no-renames", "-z", "HEAD"];
    const changes = (await git(folders, args, { encoding: "latin1" })).split("\0");
    const added: string[] = [];
    const restored: string[] = [];
    for (let at = 0; at + 1 < changes.length; at += 2) {
      const [how, path = ""] = [changes[at], changes[at + 1]];
      if (before.has(path)) continue;
      const isAdded = how === "A" || (how === "U" && !(await isInHead(folders, path)));
      (isAdded ? added : restored).push(path);
    }
    await git(folders, ["reset", "--quiet"]);
    for (const path of added) await rm(toSystemPath(folders.project, path), { force: true });
    if (restored.length > 0)
      await git(folders, ["--literal-pathspecs", "checkout", "--quiet", "HEAD", ...pathsFromInput], {
        input: toInput(restored),
      });
  }
  await writeSync(folders, null);
}

interface ChangedPath {
  path: RawPath;
  /** git's two status letters: the index relative to HEAD, and the file relative to the index. */
  state: string;
}

/** Files that differ from HEAD, untracked ones included. */
async function changedFiles(folders: Folders): Promise<ChangedPath[]> {
  const args = ["status", "--porcelain", "--untracked-files=all", "--no-renames", "-z"];
  const listed = await git(folders, args, { encoding: "latin1" });
  return (
    listed
      .split("\0")
      .filter(Boolean)
      // A repository inside the checkout is listed with a slash, and staged without it.
      .map((line) => ({ state: line.slice(0, 2), path: line.slice(3).replace(/\/$/, "") }))
  );
}

/** The paths as git reads them from its standard input. */
const toInput = (paths: RawPath[]) => Buffer.from(paths.join("\0"), "latin1");

const isUnmerged = (state: string) => state.includes("U") || state === "AA" || state === "DD";

async function stillMarked(folders: Folders, paths: string[]): Promise<string[]> {
  const marked: string[] = [];
  for (const path of paths) {
    const content = await readFile(join(folders.project, path), "latin1").catch(() => "");
    if (/^<{7} [\s\S]*^>{7} /m.test(content)) marked.push(path);
  }
  return marked;
}

async function isInHead(folders: Folders, path: RawPath): Promise<boolean> {
  const object = `HEAD:${Buffer.from(path, "latin1")}`;
  return (await tryGit(folders, ["rev-parse", "--verify", "--quiet", object])).exitCode === 0;
}

const listNames = async (folders: Folders, args: string[]) => (await git(folders, args)).split("\0").filter(Boolean);
