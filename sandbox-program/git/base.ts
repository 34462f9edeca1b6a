// The merge base of the session's branch. Changes and commits are listed relative to it.

import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { readCheckout, requireCheckout } from "../project/checkout-record.ts";
import { tryGit } from "./git-command.ts";
import { findRefTips } from "./ref-tips.ts";
import { trackBranch } from "./tracked-branches.ts";

/** The remote-tracking ref of a base branch, by default of the checkout's own base branch. */
export async function getBaseRef(folders: Folders, base: string | null): Promise<string> {
  const branch = base ?? requireCheckout(folders).baseBranch;
  const ref = `refs/remotes/origin/${branch}`;
  const found = await tryGit(folders, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (found.exitCode !== 0) throw createRefusal("GIT_REFUSED", `The remote has no branch ${branch}.`);
  return ref;
}

/** The merge base of HEAD and the base branch; the base branch itself if they share no history. */
export async function getMergeBase(folders: Folders, base: string | null): Promise<string> {
  const ref = await getBaseRef(folders, base);
  const found = await tryGit(folders, ["merge-base", ref, "HEAD"]);
  return found.exitCode === 0 ? found.stdout.trim() : ref;
}

/** The latest result of git. In most turns the branches do not move between start and end. */
let newest: { project: string; tips: string; commit: string } | null = null;

/**
 * The newest commit of a remote-tracking branch that the session's branch contains; undefined if it
 * is unknown.
 */
export async function commitWithin(folders: Folders, target: string): Promise<string | undefined> {
  const own = readCheckout(folders)?.branch;
  if (own === undefined) return undefined;
  const refs = [`refs/remotes/origin/${target}`, `refs/heads/${own}`];
  const tipsNow = () => findRefTips(folders, refs)?.join(" ") ?? null;
  // The merge base of two commits never changes.
  const tips = tipsNow();
  if (newest !== null && newest.project === folders.project && newest.tips === tips) return newest.commit;
  const found = await tryGit(folders, ["merge-base", ...refs]).catch(() => null);
  if (found?.exitCode !== 0) return undefined;
  const commit = found.stdout.trim();
  // A command may have moved one of them meanwhile.
  if (tips !== null && tips === tipsNow()) newest = { project: folders.project, tips, commit };
  return commit;
}

/**
 * The same for a branch that is fetched first if the checkout does not track it, as after a change
 * of the Target Branch.
 */
export async function commitWithinFetched(
  folders: Folders,
  target: string,
  token: string,
): Promise<string | undefined> {
  const known = await commitWithin(folders, target);
  const record = readCheckout(folders);
  if (known !== undefined || record === null) return known;
  await trackBranch(folders, { remoteUrl: record.remoteUrl, token }, target).catch(() => {});
  return await commitWithin(folders, target);
}
