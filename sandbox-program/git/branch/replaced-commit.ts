// The remote commit that a local rebase has replaced. Until the rebased commits are pushed, the
// push may overwrite this commit, and no other.
import type { Folders } from "../../folders.ts";
import { git } from "../git-command.ts";
import { isRefMissing } from "../ref-tips.ts";
import { findCommit } from "./state.ts";

const ref = "refs/switchyard/replaced";

/** Null if no rebase has replaced commits since the branch was last pushed. */
export async function findReplacedCommit(folders: Folders, branch: string): Promise<string | null> {
  if (isRefMissing(folders, ref)) return null;
  const replaced = await findCommit(folders, ref);
  return replaced !== null && replaced === (await findCommit(folders, `refs/remotes/origin/${branch}`))
    ? replaced
    : null;
}

export async function recordReplacedCommit(folders: Folders, commit: string): Promise<void> {
  await git(folders, ["update-ref", ref, commit]);
}

export async function deleteReplacedCommit(folders: Folders): Promise<void> {
  await git(folders, ["update-ref", "-d", ref]);
}
