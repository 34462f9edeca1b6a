// Fast-forwards the checked-out branch to the newest commit of its base branch.
import type { Folders } from "../../folders.ts";
import { refusal } from "../../http/refusal.ts";
import { fetchBranches, isAncestor, moveBranch } from "./state.ts";

/**
 * Fetches and fast-forwards. False if there is nothing newer. Refuses, and changes nothing, if
 * local commits or changes are in the way.
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
