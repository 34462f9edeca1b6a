// Moves the checked-out branch on to the newest commit of its base branch, without a merge.
import type { Folders } from "../../folders.ts";
import { refusal } from "../../http/refusal.ts";
import { fetchBranches, isAncestor, moveBranch } from "./state.ts";

/**
 * Fetches and moves on. False if there is nothing newer. Refuses, and changes nothing, where
 * commits or changes made here stand in the way.
 */
export async function fastForward(folders: Folders, base: string, token: string): Promise<boolean> {
  const { branch, head, baseHead } = await fetchBranches(folders, base, token);
  if (await isAncestor(folders, baseHead, head)) return false;
  if (!(await isAncestor(folders, head, baseHead))) {
    throw refusal("GIT_REFUSED", `The checkout has commits that ${base} does not have. Nothing was done.`);
  }
  await moveBranch(folders, branch, baseHead);
  return true;
}
