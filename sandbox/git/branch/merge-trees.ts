// Merging two commits without touching the checkout: the tree they come to, and the paths on which they disagree.
import type { Folders } from "../../folders.ts";
import { refusal } from "../../http/refusal.ts";
import { git, tryGit } from "../git-command.ts";

/** A version of a path that git could not settle: 1 is of the common past, 2 ours, 3 theirs. */
export interface ConflictStage {
  mode: string;
  objectId: string;
  stage: number;
}

export interface Conflict {
  path: string;
  /** What the merged tree and its versions call it: where a file meets a folder, git names the file after the commit that it is from. */
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

/** Merges one commit into another as git would, renames followed. */
export async function mergeTrees(folders: Folders, ours: string, theirs: string): Promise<MergedTree> {
  const args = ["merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs];
  const { exitCode, stdout, stderr } = await tryGit(folders, args, { timeoutMs: mergeTimeoutMs });
  const [tree = "", ...entries] = stdout.split("\0");
  if (exitCode > 1 || !/^[0-9a-f]{40,64}$/.test(tree)) {
    throw refusal("GIT_REFUSED", `The branches cannot be merged by this git.\n${stderr.trim().slice(-1_000)}`);
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
 * Merges what one commit changed into another, as a rebase does: what merge-tree takes for the common past is the commit's parent. Its
 * merge base cannot be named before git 2.40, so commits of those trees stand in.
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

/** Writes a commit; nothing points at it yet. */
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
