// The state of the checkout's branch: fetches it and the branch to sync with, and moves it to
// another commit without losing uncommitted work.

import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { requireCheckout } from "../../project/checkout-record.ts";
import { git, tryGit } from "../git-command.ts";
import { requireNothingHalfDone, requireOwnBranch } from "../head.ts";
import { fetchTracked } from "../tracked-branches.ts";

export interface BranchState {
  branch: string;
  head: string;
  /** The commit of the branch to sync with. */
  baseHead: string;
  /** The remote's commit of the branch; null if it was never pushed. */
  published: string | null;
}

const fetchTimeoutMs = 120_000;
const filesNamed = 10;

/**
 * Fetches both branches and returns their commits. Refuses during an unfinished merge or rebase.
 */
export async function fetchBranches(
  folders: Folders,
  { base, token, signal }: { base: string; token: string; signal?: AbortSignal | undefined },
): Promise<BranchState> {
  const record = requireCheckout(folders);
  await requireOwnBranch(folders, record.branch);
  await requireNothingHalfDone(folders);
  const { remoteUrl, branch } = record;
  const options = { timeoutMs: fetchTimeoutMs, signal };
  await fetchTracked(folders, { remoteUrl, token }, { branch, baseBranch: base }, options);
  const baseHead = await findCommit(folders, `refs/remotes/origin/${base}`);
  if (baseHead === null) throw createRefusal("GIT_REFUSED", `The remote has no branch ${base}.`);
  const head = (await git(folders, ["rev-parse", "HEAD"])).trim();
  return {
    branch,
    head,
    baseHead,
    published: await findCommit(folders, `refs/remotes/origin/${branch}`),
  };
}

/** The commit that a ref names; null if it does not exist. */
export async function findCommit(folders: Folders, ref: string): Promise<string | null> {
  const found = await tryGit(folders, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** True if the second commit contains the first. */
export async function isAncestor(folders: Folders, ancestor: string, commit: string): Promise<boolean> {
  return (await tryGit(folders, ["merge-base", "--is-ancestor", ancestor, commit])).exitCode === 0;
}

/**
 * Moves the branch and updates the files that differ. Uncommitted changes stay. If the move would
 * overwrite an uncommitted, untracked or ignored file, it changes nothing and refuses with the
 * names of those files.
 */
export async function updateBranch(folders: Folders, branch: string, to: string): Promise<void> {
  const args = ["checkout", "--quiet", "--no-overwrite-ignore", "--no-track", "-B", branch, to];
  const moved = await tryGit(folders, args, { timeoutMs: fetchTimeoutMs });
  if (moved.exitCode === 0) return;
  const inTheWay = parseListedFiles(moved.stderr);
  if (inTheWay.length === 0)
    throw createRefusal("GIT_REFUSED", `The files could not be changed.\n${moved.stderr.trim()}`);
  throw createRefusal("GIT_REFUSED", formatFilesInTheWay(inTheWay));
}

/** The files that git lists when it refuses to overwrite them. */
export const parseListedFiles = (stderr: string) => [...stderr.matchAll(/^\t(.+)$/gm)].map(([, name = ""]) => name);

export function formatFilesInTheWay(files: string[]): string {
  const more = files.length > filesNamed ? ` and ${files.length - filesNamed} more` : "";
  const named = files.slice(0, filesNamed).join(", ");
  return `Uncommitted work is in files that would change: ${named}${more}. Nothing was done. Commit or revert it first.`;
}
