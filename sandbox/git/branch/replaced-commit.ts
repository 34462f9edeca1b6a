// The commit of the remote that a rebase has put others in the place of: until these are pushed, it is known to be the session's own, and
// nothing that somebody else added.
import type { Folders } from "../../folders.ts";
import { git } from "../git-command.ts";
import { commitOf } from "./state.ts";

const ref = "refs/switchyard/replaced";

/** Null when nothing has been replaced since the branch was last pushed, by whomever. */
export async function replacedCommit(folders: Folders, branch: string): Promise<string | null> {
  const replaced = await commitOf(folders, ref);
  return replaced !== null && replaced === (await commitOf(folders, `refs/remotes/origin/${branch}`)) ? replaced : null;
}

export async function noteReplaced(folders: Folders, commit: string): Promise<void> {
  await git(folders, ["update-ref", ref, commit]);
}

export async function forgetReplaced(folders: Folders): Promise<void> {
  await git(folders, ["update-ref", "-d", ref]);
}
