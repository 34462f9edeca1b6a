// Syncs the session's branch with another: merges that branch in, or rebases onto it, and updates
// the checkout. While the user decides about conflicts, the checkout stays unchanged, so that there
// is no unfinished merge to undo.
import type { Resolution } from "../../../src/checkout/rules/sync.ts";
import { readSync, writeSync } from "../../agent/sync/record.ts";
import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { resolveConflicts } from "./conflict-side.ts";
import { commitHandMerge, startHandMerge } from "./hand-merge.ts";
import { commitTree, mergeTrees } from "./merge-trees.ts";
import { findReplacedCommit, recordReplacedCommit } from "./replaced-commit.ts";
import { isOneLine, replay } from "./replay.ts";
import { type BranchState, fetchBranches, isAncestor, updateBranch } from "./state.ts";

export interface SyncRequest {
  /** The branch that comes in. */
  base: string;
  token: string;
  turnId: string;
  /** True if the user asked for a rebase. */
  rebase: boolean;
  /** Applied only if the user was asked about these conflicts in an earlier turn. */
  resolution: Resolution | null;
  /** Once aborted, the sync changes nothing more. */
  signal?: AbortSignal;
}

export type SyncOutcome =
  | { status: "up-to-date" }
  | { status: "synced"; how: "merge" | "rebase" }
  | { status: "conflict"; conflicts: string[] }
  /** The conflicts are marked in the checkout for the agent to resolve. */
  | { status: "by-hand"; conflicts: string[] };

/**
 * Syncs the branch, up to the first unresolved conflict. If uncommitted work is in the way, it
 * refuses and changes nothing.
 */
export async function syncBranch(folders: Folders, request: SyncRequest): Promise<SyncOutcome> {
  const asked = readSync(folders);
  if (asked?.byHand)
    throw createRefusal("GIT_REFUSED", "The conflicts are already marked in the checkout. Settle them, then finish.");
  const state = await withOwnRemote(folders, await fetchBranches(folders, request), request.signal);
  if (await isAncestor(folders, state.baseHead, state.head)) {
    await writeSync(folders, null);
    return { status: "up-to-date" };
  }
  const rebases = request.rebase || asked?.rebases === true || state.published === null;
  const how = rebases && (await isOneLine(folders, state.baseHead, state.head)) ? "rebase" : "merge";
  const resolution = asked?.base === request.base && asked.askedIn !== request.turnId ? request.resolution : null;
  const joined = await join(folders, state, {
    base: request.base,
    how,
    side: resolution === "base" || resolution === "branch" ? resolution : null,
  });
  // Commits that arrived after the question may conflict in files that the question did not name.
  const unasked = joined.conflicts.filter((path) => !asked?.conflicts.includes(path));
  if (joined.conflicts.length > 0 && (resolution === null || unasked.length > 0)) {
    await writeSync(folders, {
      base: request.base,
      askedIn: request.turnId,
      rebases: how === "rebase",
      conflicts: joined.conflicts,
      byHand: null,
    });
    return { status: "conflict", conflicts: joined.conflicts };
  }
  request.signal?.throwIfAborted();
  if (joined.conflicts.length > 0 && resolution === "by-hand") {
    return {
      status: "by-hand",
      conflicts: await startHandMerge(folders, state, { base: request.base, askedIn: request.turnId, rebases }),
    };
  }
  await updateBranch(folders, state.branch, joined.head);
  if (how === "rebase" && state.published !== null) await recordReplacedCommit(folders, state.published);
  await writeSync(folders, null);
  return { status: "synced", how };
}

/** Commits the agent's resolution. Refuses while a conflict is still marked. */
export async function commitSync(folders: Folders): Promise<SyncOutcome> {
  await commitHandMerge(folders);
  return { status: "synced", how: "merge" };
}

/** Merges commits that others pushed to the branch. Without them, the push would be rejected. */
async function withOwnRemote(folders: Folders, state: BranchState, signal?: AbortSignal): Promise<BranchState> {
  const { published, head, branch } = state;
  if (published === null || (await isAncestor(folders, published, head))) return state;
  if (published === (await findReplacedCommit(folders, branch))) return state;
  const { tree, conflicts } = await mergeTrees(folders, head, published);
  if (conflicts.length > 0) {
    const files = conflicts.map(({ path }) => path).join(", ");
    throw createRefusal(
      "GIT_REFUSED",
      `Others pushed to ${branch}, and what they changed conflicts with this sandbox's commits: ${files}.`,
    );
  }
  const to = (await isAncestor(folders, head, published))
    ? published
    : await commitTree(folders, tree, [head, published], `Merge branch '${branch}' of the remote`);
  signal?.throwIfAborted();
  await updateBranch(folders, branch, to);
  return { ...state, head: to };
}

/**
 * Merges or rebases the branches. `side` resolves conflicts. If there are conflicts without a side,
 * the commit must not be used.
 */
async function join(
  folders: Folders,
  { branch, head, baseHead }: BranchState,
  { base, how, side }: { base: string; how: "merge" | "rebase"; side: "branch" | "base" | null },
): Promise<{ head: string; conflicts: string[] }> {
  if (await isAncestor(folders, head, baseHead)) return { head: baseHead, conflicts: [] };
  if (how === "rebase") return await replay(folders, { head, onto: baseHead, side });
  const merged = await mergeTrees(folders, head, baseHead);
  const conflicts = merged.conflicts.map(({ path }) => path);
  const tree =
    side === null ? merged.tree : await resolveConflicts(folders, merged, side === "branch" ? "ours" : "theirs");
  return {
    head: await commitTree(folders, tree, [head, baseHead], `Merge branch '${base}' into ${branch}`),
    conflicts,
  };
}
