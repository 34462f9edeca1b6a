// Pushes to a session's branch: a session may rewrite the commits that it pushed itself, and never drops those of others.

/** The earlier heads of a session's branch. */
export interface BranchHeads {
  /** The heads that its own pushes set, newest first. */
  own: readonly string[];
  /** The last head of somebody else that a push of the session replaced; null if there was none. */
  others: string | null;
}

/** The move of a branch from one commit to another. `oldId` is all zeros for a new branch. */
export interface BranchMove {
  oldId: string;
  newId: string;
}

export const noHeads: BranchHeads = { own: [], others: null };
const ownHeadsMax = 50;

/** True for the all-zeros id that git uses for "no commit". */
export function isNoCommit(id: string): boolean {
  return /^0+$/.test(id);
}

/** Returns the commits of which the new head must have one as ancestor, so that no commit of others is dropped. Null without such commits. */
export function commitsToKeep({ own, others }: BranchHeads, { oldId }: BranchMove): string[] | null {
  if (isNoCommit(oldId)) return null;
  if (!own.includes(oldId)) return [oldId];
  return others === null ? null : [oldId, others];
}

/** Returns the heads after a move of the branch by the session. */
export function headsAfter({ own, others }: BranchHeads, { oldId, newId }: BranchMove): BranchHeads {
  if (oldId === newId) return { own, others };
  const kept = isNoCommit(oldId) ? null : own.includes(oldId) ? others : oldId;
  return { own: [...new Set([newId, ...own])].slice(0, ownHeadsMax), others: kept };
}
