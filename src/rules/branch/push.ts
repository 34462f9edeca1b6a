// What a push to a session's branch may move it to: the session rewrites what it pushed itself, and drops nothing that others pushed.

/** What a session knows of where its branch has stood. */
export interface BranchHeads {
  /** Where its own pushes put the branch, the newest first. */
  own: readonly string[];
  /** Where others had put it when the session last built on that. */
  others: string | null;
}

/** A branch moves from one commit to another; the first is all zeros for a branch that is new. */
export interface BranchMove {
  oldId: string;
  newId: string;
}

export const noHeads: BranchHeads = { own: [], others: null };
const ownHeadsKept = 50;

/** True for what git writes where there is no commit. */
export function isNoCommit(id: string): boolean {
  return /^0+$/.test(id);
}

/** The commits of which the new one has to build on one, so that nothing of others is lost; null where nothing of theirs is there. */
export function commitsToKeep({ own, others }: BranchHeads, { oldId }: BranchMove): string[] | null {
  if (isNoCommit(oldId)) return null;
  if (!own.includes(oldId)) return [oldId];
  return others === null ? null : [oldId, others];
}

/** What is known once the branch has moved. */
export function headsAfter({ own, others }: BranchHeads, { oldId, newId }: BranchMove): BranchHeads {
  if (oldId === newId) return { own, others };
  const kept = isNoCommit(oldId) ? null : own.includes(oldId) ? others : oldId;
  return { own: [...new Set([newId, ...own])].slice(0, ownHeadsKept), others: kept };
}
