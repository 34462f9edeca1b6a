// Replays a branch's own commits onto another commit, as a rebase does, without touching the
// checkout.
import type { Folders } from "../../folders.ts";
import { git } from "../git-command.ts";
import { resolveConflicts, type Side } from "./conflict-side.ts";
import { commitTree, transplantTrees } from "./merge-trees.ts";

export interface Replayed {
  head: string;
  /** The files in conflict. */
  conflicts: string[];
}

/**
 * True if the branch's own commits contain no merge, whose conflict resolutions a replay would
 * lose.
 */
export async function isOneLine(folders: Folders, onto: string, head: string): Promise<boolean> {
  return (await git(folders, ["rev-list", "--min-parents=2", "--max-count=1", head, `^${onto}`])) === "";
}

/**
 * Replays the commits with their authors and messages. `side` resolves conflicts with the branch's
 * or the base's version.
 */
export async function replay(
  folders: Folders,
  { head, onto, side }: { head: string; onto: string; side: "branch" | "base" | null },
): Promise<Replayed> {
  const listed = await git(folders, ["rev-list", "--reverse", "--topo-order", head, `^${onto}`]);
  let tip = onto;
  const disputed = new Set<string>();
  for (const commit of listed.split("\n").filter(Boolean)) {
    const merged = await transplantTrees(folders, { parent: `${commit}^`, commit, onto: tip });
    for (const { path } of merged.conflicts) disputed.add(path);
    // In a replay, the branch's commits are `theirs`.
    const chosen: Side = side === "branch" ? "theirs" : "ours";
    // The replay continues as if the conflict were resolved, to find all files in conflict.
    const tree = merged.conflicts.length > 0 ? await resolveConflicts(folders, merged, chosen) : merged.tree;
    const isEmpty = tree === (await git(folders, ["rev-parse", `${tip}^{tree}`])).trim();
    if (!isEmpty) tip = await again(folders, commit, tree, tip);
  }
  return { head: tip, conflicts: [...disputed] };
}

async function again(folders: Folders, commit: string, tree: string, parent: string): Promise<string> {
  const format = "%an%x00%ae%x00%ad%x00%B";
  const shown = await git(folders, ["log", "-1", "--date=raw", `--format=${format}`, commit]);
  const [name = "", email = "", date = "", message = ""] = shown.split("\0");
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  // git prints a line break after the message.
  return await commitTree(folders, tree, [parent], message.replace(/\n$/, ""), author);
}
