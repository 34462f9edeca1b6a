// Reads HEAD and checks it: members commit and push only on the session's branch, and never during
// an unfinished merge or rebase.
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { isThere } from "../presence.ts";
import { git, tryGit } from "./git-command.ts";
import { isHeadOn } from "./ref-tips.ts";

/** The commit of HEAD; null before the first commit of a branch. */
export async function findHeadCommit(folders: Folders): Promise<string | null> {
  const found = await tryGit(folders, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** The base for differences from HEAD: its commit, or the empty tree before the first commit. */
export async function getHeadOrEmptyTree(folders: Folders): Promise<string> {
  return (
    (await findHeadCommit(folders)) ??
    (await git(folders, ["hash-object", "-t", "tree", "--stdin"], { input: "" })).trim()
  );
}

const halfDone: [mark: string, what: string][] = [
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
];
const askAgent = "Send a message that asks the agent to";

/**
 * Refuses during an unfinished merge or rebase, because a commit would include its conflict
 * markers.
 */
export async function requireNothingHalfDone(folders: Folders): Promise<void> {
  const what = findHalfDone(folders);
  if (what)
    throw createRefusal("GIT_REFUSED", `The checkout is in the middle of ${what}. ${askAgent} finish or abort it.`);
}

/** Refuses unless HEAD is on the session's branch. */
export async function requireOwnBranch(folders: Folders, branch: string): Promise<void> {
  if (isHeadOn(folders, branch)) return;
  const head = (await tryGit(folders, ["symbolic-ref", "--quiet", "HEAD"])).stdout.trim();
  if (head === `refs/heads/${branch}`) return;
  // During a rebase HEAD is detached, so this reports the better reason.
  await requireNothingHalfDone(folders);
  const where = head === "" ? "on no branch" : `on the branch ${head.replace(/^refs\/heads\//, "")}`;
  const what = `The checkout is ${where} instead of the session's branch ${branch}.`;
  throw createRefusal("GIT_REFUSED", `${what} ${askAgent} switch back to ${branch}.`);
}

function findHalfDone({ project }: Folders): string | null {
  return halfDone.find(([mark]) => isThere(join(project, ".git", mark)))?.[1] ?? null;
}
