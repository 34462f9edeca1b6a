// Merges two commits without touching the checkout: the resulting tree, and the paths in conflict.
import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { git, tryGit } from "../git-command.ts";

/** A version of a path in conflict: 1 is the merge base, 2 ours, 3 theirs. */
export interface ConflictStage {
  mode: string;
  objectId: string;
  stage: number;
}

export interface Conflict {
  path: string;
  /**
   * Its names in the merged tree and its versions. If a file conflicts with a folder, git appends
   * the name of a commit to the file.
   */
  names: string[];
  stages: ConflictStage[];
}

export interface MergedTree {
  /** With conflict markers where there are conflicts. */
  tree: string;
  conflicts: Conflict[];
}

const mergeTimeoutMs = 120_000;
const stagePattern = /^(\d{6}) ([0-9a-f]+) ([123])\t([\s\S]+)$/;

/** Merges one commit into another as git does, with renames. */
export async function mergeTrees(folders: Folders, ours: string, theirs: string): Promise<MergedTree> {
  const args = ["merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs];
  const { exitCode, stdout, stderr } = await tryGit(folders, args, { timeoutMs: mergeTimeoutMs });
  const [tree = "", ...entries] = stdout.split("\0");
  if (exitCode > 1 || !/^[0-9a-f]{40,64}$/.test(tree)) {
    throw createRefusal("GIT_REFUSED", `The branches cannot be merged by this git.\n${stderr.trim().slice(-1_000)}`);
  }
  const conflicts = new Map<string, Conflict>();
  for (const entry of entries) {
    const [, mode = "", objectId = "", stage = "", name = ""] = stagePattern.exec(entry) ?? [];
    if (name === "") continue;
    const path = [ours, theirs].reduce((short, commit) => short.replace(new RegExp(`~${commit}(_\\d+)?$`), ""), name);
    const { names, stages } = conflicts.get(path) ?? { names: [], stages: [] };
    const version = { mode, objectId, stage: Number(stage) };
    conflicts.set(path, { path, names: [...names, name], stages: [...stages, version] });
  }
  return { tree, conflicts: [...conflicts.values()] };
}

/**
 * Applies the changes of one commit to another, as a rebase does: the merge base is the commit's
 * parent. Before git 2.40, merge-tree has no option to name the merge base, so temporary commits of
 * the same trees are created with it as their parent.
 */
export async function transplantTrees(
  folders: Folders,
  { parent, commit, onto }: { parent: string; commit: string; onto: string },
): Promise<MergedTree> {
  const past = await commitTree(folders, `${parent}^{tree}`, [], "past");
  const ours = await commitTree(folders, `${onto}^{tree}`, [past], "ours");
  const theirs = await commitTree(folders, `${commit}^{tree}`, [past], "theirs");
  return await mergeTrees(folders, ours, theirs);
}

/** Writes a commit object. No ref points to it yet. */
export async function commitTree(
  folders: Folders,
  tree: string,
  parents: string[],
  message: string,
  env: Record<string, string> = {},
): Promise<string> {
  const from = parents.flatMap((parent) => ["-p", parent]);
  return (await git(folders, ["commit-tree", tree, ...from, "-F", "-"], { input: message, env })).trim();
}
